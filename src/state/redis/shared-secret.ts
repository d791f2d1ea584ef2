// The secret that seals what clients bring back, where the operator sets none: made by whichever replica is first. Redis
// may lose it, or get another by a replica that starts then: all follow what is there, and tell each other the former
// ones, so that what was sealed before still opens everywhere.
import { randomBytes } from 'node:crypto'
import { MAX_FORMER } from '../../seal.ts'
import type { RedisBus } from './bus.ts'
import type { RedisLink } from './link.ts'

const BYTES = 32
const MIN_LENGTH = 32
const MAX_LENGTH = 1024
/** How often it is looked whether Redis has lost it, or has another. */
const LOOK_MS = 2000
/** How long the former ones are told to replicas that start, ms: longer than a state of a client lives. */
const FORMER_KEPT_MS = 60 * 60 * 1000
const TOPIC = 'secret'

// Follows what is there; where nothing is, or it is damaged, that of this replica is put there. One that is no longer the
// secret is kept among the former ones. KEYS: the secret, the former ones.
// ARGV: the secret of this replica, whether anything was sealed with it, former ones that it knows.
// Answers whether there is news for the others, the secret, and the former ones, the latest first.
const AGREE = `
local secret, news = redis.pcall('GET', KEYS[1]), 0
if type(secret) ~= 'string' or #secret < ${MIN_LENGTH} or #secret > ${MAX_LENGTH} then
  redis.call('SET', KEYS[1], ARGV[1])
  secret, news = ARGV[1], 1
end
local former = redis.pcall('LRANGE', KEYS[2], 0, -1)
if former.err then
  redis.call('DEL', KEYS[2])
  former = {}
end
local known = { [secret] = true }
for _, each in ipairs(former) do known[each] = true end
if news == 1 or secret ~= ARGV[1] and ARGV[2] == '1' and not known[ARGV[1]] then
  for at = #ARGV, 1, -1 do
    if at ~= 2 and not known[ARGV[at]] then
      redis.call('LPUSH', KEYS[2], ARGV[at])
      known[ARGV[at]] = true
      news = 1
    end
  end
  redis.call('LTRIM', KEYS[2], 0, ${MAX_FORMER - 1})
  redis.call('PEXPIRE', KEYS[2], ${FORMER_KEPT_MS})
end
return { news, secret, unpack(redis.call('LRANGE', KEYS[2], 0, ${MAX_FORMER - 1})) }
`

export type SecretListener = (secret: string, former: readonly string[]) => void

export class SharedSecret {
  readonly #link: RedisLink
  readonly #bus: RedisBus
  /** What it would be if this replica were the first. */
  #secret = randomBytes(BYTES).toString('base64url')
  #former: readonly string[] = []
  #isKnown = false
  #tell: SecretListener = () => {}
  #looking: NodeJS.Timeout | undefined

  constructor(link: RedisLink, bus: RedisBus) {
    this.#link = link
    this.#bus = bus
    link.define('toolrackAgree', 2, AGREE)
  }

  /** Resolves when it is known, or Redis did not answer. */
  async look(): Promise<void> {
    const keys = [this.#link.key('state-secret'), this.#link.key('state-secrets-former')]
    try {
      const args = [this.#secret, this.#isKnown ? 1 : 0, ...this.#former]
      const [news, secret, ...former] = (await this.#link.script('toolrackAgree', keys, args)) as [number, ...string[]]
      if (news === 1) this.#bus.say(TOPIC, {})
      this.#learn(secret!, former.filter(isSecret))
    } catch {
      // It is looked for when Redis answers again.
    }
  }

  /** Calls `listener` as soon as it is known, and again where there is another one, or another former one, since. */
  follow(listener: SecretListener): void {
    this.#tell = listener
    this.#bus.on(TOPIC, () => void this.look())
    this.#link.onReturn(() => void this.look())
    this.#looking = setInterval(() => void this.look(), LOOK_MS).unref()
    if (this.#isKnown) listener(this.#secret, this.#former)
    else if (this.#link.isUp) void this.look()
  }

  close(): void {
    clearInterval(this.#looking)
  }

  #learn(secret: string, told: readonly string[]): void {
    const own = this.#isKnown ? [this.#secret, ...this.#former] : []
    const former = [...new Set([...told, ...own])].filter(each => each !== secret).slice(0, MAX_FORMER)
    const isNews = !this.#isKnown || secret !== this.#secret || former.some(each => !this.#former.includes(each))
    this.#secret = secret
    this.#former = former
    this.#isKnown = true
    if (isNews) this.#tell(secret, former)
  }
}

const isSecret = (text: string) => text.length >= MIN_LENGTH && text.length <= MAX_LENGTH
