// The process: `server.ts` serves; `server.ts rotate-keys` adds a signing key at KEYS_PATH.
import { buildBroker } from './app.ts'
import { rotateKeys } from './keys.ts'
import { readSettings } from './settings.ts'

const CLOSE_MS = 5000

async function serve(): Promise<void> {
  const settings = readSettings(process.env)
  const app = await buildBroker(settings)
  if (settings.SIGNING_KEYS === undefined && settings.KEYS_PATH === undefined)
    app.log.warn('Tokens, clients and sign-ins end with this process; set KEYS_PATH and REDIS_URL to keep them.')
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

const [command, ...rest] = process.argv.slice(2)
try {
  if (rest.length > 0 || (command !== undefined && command !== 'rotate-keys'))
    throw new Error(`expected nothing, or rotate-keys, not ${process.argv.slice(2).join(' ')}`)
  await (command === undefined ? serve() : rotate())
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
