// What writes a ledger, behind a proxy: two replicas with their Redis, or one server with a file.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { startProxy } from '../../support/replicas/proxy.ts'
import { Replica } from '../../support/replicas/replica.ts'
import { RedisServer } from '../../support/servers/redis-server.ts'
import { note } from './ledger.ts'

export type StateKind = 'redis' | 'sqlite'

export interface Rig {
  /** Undefined where the state is in a file. */
  readonly redis: RedisServer | undefined
  readonly replicas: readonly Replica[]
  readonly proxy: Awaited<ReturnType<typeof startProxy>>
  readonly ledger: string
  /** Kills a replica, and writes down that its runs have ended. */
  kill(replica: Replica): Promise<void>
  close(): Promise<void>
}

const program = new URL('chaos-replica.ts', import.meta.url).pathname

export async function startRig(
  environment: Readonly<Record<string, string>> = {},
  state: StateKind = 'redis',
): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-chaos-'))
  const ledger = join(folder, 'ledger')
  writeFileSync(ledger, '')
  const redis = state === 'redis' ? await startRedis() : undefined
  const options = {
    redisUrl: redis?.url,
    program,
    environment: {
      LEDGER: ledger,
      LOG_LEVEL: 'error',
      RATE_LIMIT_MAX: '1000000000',
      TASK_INLINE_MS: '0',
      ...(redis === undefined && { STATE: `sqlite:${join(folder, 'state.db')}` }),
      ...environment,
    },
  }
  const replicas = [new Replica(await freePort(), options)]
  if (redis !== undefined) replicas.push(new Replica(await freePort(), options))
  const proxy = await startProxy(() => replicas.map(({ port }) => port))
  const close = async () => {
    await proxy.close()
    await Promise.all(replicas.map(replica => replica.kill()))
    await redis?.close()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(replicas.map(replica => replica.start()))
  } catch (error) {
    await close()
    throw error
  }
  return {
    redis,
    replicas,
    proxy,
    ledger,
    async kill(replica) {
      const { pid } = replica
      await replica.kill()
      if (pid !== undefined) note(ledger, { what: 'killed', pid })
    },
    close,
  }
}

// With everysec a write may wait for two seconds before the kernel has it, and be lost with the process.
async function startRedis(): Promise<RedisServer> {
  const redis = new RedisServer(await freePort(), { isDurable: true, options: ['--appendfsync', 'always'] })
  await redis.start()
  return redis
}
