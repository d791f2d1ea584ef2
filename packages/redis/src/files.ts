// Kept files of all replicas. Each is a list with its description and its chunks.
import { FILE_BOUNDS, FILE_TTL_MS, type FileStore, type KeptFile, parseObject } from 'toolrack/stores'
import type { RedisClient } from './client.ts'
import { ignoreWrongType } from './record.ts'

/** Small enough for the time limit of one command. */
const CHUNK_BYTES = 512 * 1024

// Makes room, and begins the file. Only this script creates its list: once the list is removed to
// make room, no chunk brings it back. KEYS: ids by age, sizes, ids of the owner by age, the prefix
// of files, the file. ARGV: id, bytes, description.
const BEGIN = `
local function forget(id)
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[3], id)
  redis.call('HDEL', KEYS[2], id)
  redis.call('DEL', KEYS[4] .. ':' .. id)
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], '-inf', now - ${FILE_TTL_MS}, 'BYSCORE')) do forget(id) end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ${FILE_TTL_MS})
local function trim(ids, max)
  local known, sum = redis.call('ZRANGE', ids, 0, -1), tonumber(ARGV[2])
  for _, id in ipairs(known) do sum = sum + tonumber(redis.call('HGET', KEYS[2], id) or '0') end
  for _, id in ipairs(known) do
    if sum <= max then return end
    sum = sum - tonumber(redis.call('HGET', KEYS[2], id) or '0')
    forget(id)
    redis.call('ZREM', ids, id)
  end
end
trim(KEYS[3], ${FILE_BOUNDS.maxOfOwner})
trim(KEYS[1], ${FILE_BOUNDS.maxTotal})
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZADD', KEYS[3], now, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('RPUSH', KEYS[5], ARGV[3])
for _, key in ipairs({ KEYS[1], KEYS[2], KEYS[3], KEYS[5] }) do redis.call('PEXPIRE', key, ${FILE_TTL_MS}) end
return 1
`

type Description = Omit<KeptFile, 'bytes'> & { readonly chunks: number }

export class RedisFiles implements FileStore {
  readonly backend: RedisClient

  constructor(redis: RedisClient) {
    redis.define('toolrackBeginFile', 5, BEGIN)
    this.backend = redis
  }

  async put(id: string, ownerKey: string, { bytes, ...about }: KeptFile): Promise<boolean> {
    const key = this.backend.key('file', id)
    const lists = ['files', 'file-sizes'].map(name => this.backend.key(name))
    const keys = [...lists, this.backend.key('files-of', ownerKey), this.backend.key('file'), key]
    const chunks = Math.ceil(bytes.byteLength / CHUNK_BYTES)
    const description = JSON.stringify({ ...about, chunks } satisfies Description)
    await this.backend.script('toolrackBeginFile', keys, [id, bytes.byteLength, description])
    for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES) {
      const chunk = Buffer.from(bytes.subarray(at, at + CHUNK_BYTES))
      const length = await this.backend.run(client => client.rpushx(key, chunk))
      if (length === 0) return false
    }
    return true
  }

  async find(id: string): Promise<KeptFile | undefined> {
    const key = this.backend.key('file', id)
    const described = await ignoreWrongType(this.backend.run(client => client.lindex(key, 0)))
    const { chunks, ...about } = (parseObject(described) ?? {}) as Partial<Description>
    if (chunks === undefined) return undefined
    const parts: Buffer[] = []
    for (let at = 1; at <= chunks; at++) {
      const part = await this.backend.run(client => client.lindexBuffer(key, at))
      // The file is incomplete, or was removed to make room.
      if (part === null) return undefined
      parts.push(part)
    }
    return { ...(about as Omit<KeptFile, 'bytes'>), bytes: Buffer.concat(parts) }
  }
}
