#!/usr/bin/env node
import { parseArgs } from 'node:util'
// The process: `server.ts` serves; `server.ts rotate-keys` adds a signing key at KEYS_PATH;
// `server.ts end` ends sign-ins.
import { toReason } from 'toolrack/text'
import { buildBroker } from './app.ts'
import { type EndedSignIn, endSignIns } from './end.ts'
import { readOpenMode, rotateKeys } from './keys.ts'
import { readSettings } from './settings.ts'
import { connectRedis, RedisStore } from './state/redis.ts'

/** Longer than the provider may take for a running refresh. */
const CLOSE_MS = 12_000
/** Long, since nobody waits for the answer, and a busy Redis should not leave half of the sign-ins. */
const END_TIMEOUT_MS = 15_000

async function serve(): Promise<void> {
  const settings = readSettings(process.env)
  const app = await buildBroker(settings)
  if (settings.SIGNING_KEYS === undefined && settings.KEYS_PATH === undefined)
    app.log.warn('Tokens, clients and sign-ins end with this process; set KEYS_PATH and REDIS_URL to keep them.')
  for (const name of ['KEYS_PATH', 'SIGNING_KEYS_FILE']) {
    const mode = readOpenMode(process.env[name])
    if (mode !== undefined)
      app.log.warn({ path: process.env[name], mode }, `others can read or change the keys of ${name}: chmod 600`)
  }
  const end = () => {
    setTimeout(() => process.exit(1), CLOSE_MS).unref()
    app.close().then(() => process.exit(0))
  }
  process.once('SIGTERM', end).once('SIGINT', end)
  await app.listen({ host: settings.HOST, port: settings.PORT })
}

async function rotate(): Promise<void> {
  const path = process.env['KEYS_PATH']
  if (!path) throw new Error('KEYS_PATH: expected the path of the keys')
  const keys = rotateKeys(path)
  console.log(`${path} has a new key, ${keys[0]!.kid}, and ${keys.length - 1} older. Restart the broker.`)
}

async function end(args: readonly string[]): Promise<void> {
  const options = { user: { type: 'string' }, client: { type: 'string' } } as const
  const { user, client } = parseArgs({ args: [...args], options }).values
  if (!user && !client) throw new Error('expected --user with a sub or an email address, or --client with a client id')
  const { REDIS_URL, REDIS_PREFIX, ACCESS_TOKEN_TTL_MS } = readSettings(process.env)
  if (REDIS_URL === undefined)
    throw new Error('REDIS_URL: expected a value; without it, sign-ins end with the process of the broker')
  let reason = ''
  const onTrouble = (error: Error) => {
    reason = toReason(error)
  }
  const store = new RedisStore(connectRedis(REDIS_URL, onTrouble, END_TIMEOUT_MS), REDIS_PREFIX, onTrouble)
  try {
    const onEnded = (each: EndedSignIn) =>
      console.log(JSON.stringify({ audit: true, event: 'sign_in_ended', ...each, reason: 'command' }))
    const { signIns, refreshTokens, underWay } = await endSignIns(store, { user, client }, onEnded)
    console.log(
      `Ended ${signIns} sign-ins, with ${refreshTokens} refresh tokens and ${underWay} requests under way. ` +
        `Access tokens end by themselves, within ${ACCESS_TOKEN_TTL_MS / 60_000} minutes.`,
    )
  } catch (error) {
    throw new Error(`Redis cannot be asked: ${reason || toReason(error)}`)
  } finally {
    await store.close()
  }
}

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  end,
  'rotate-keys': async args => (args.length === 0 ? rotate() : refuse()),
}
const refuse = () => {
  throw new Error(`expected nothing, rotate-keys, or end, not ${process.argv.slice(2).join(' ')}`)
}

const [command, ...rest] = process.argv.slice(2)
try {
  await (command === undefined ? serve() : Object.hasOwn(COMMANDS, command) ? COMMANDS[command]!(rest) : refuse())
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
