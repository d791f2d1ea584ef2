// `npm run token -- --sub alice --scope "prices:read"`: makes a development token, signed with
// JWT_SECRET, and prints it with a curl line; with `--raw`, the token alone. Reads the server's own
// settings, so that the token fits the server. Prints results to stdout and errors to stderr, and
// exits with 1 on an error.
import { parseArgs } from 'node:util'
import jwt from '@fastify/jwt'
import { parse as parseTime } from '@lukeed/ms'
import Fastify from 'fastify'
import { getClaimRules } from '../src/config/access.ts'
import { getPublicUrl } from '../src/config/public-url.ts'
import { ConfigError, readEnvironment, type Settings } from '../src/config/settings.ts'

const USAGE =
  'npm run token -- --sub <who> [--scope "a b"] [--ttl 1h] [--aud <uri>] [--iss <issuer>] [--client <id>] [--raw]'
const HELP = `${USAGE}

Prints a curl line with a token for development, signed with JWT_SECRET, which lists the tools.
For a script: TOKEN=$(npm run -s token -- --sub alice --raw)

  --sub <who>      who calls
  --scope "a b"    what it may; default: nothing that needs a scope
  --ttl 15m        how long the token is valid, at most 24h; default: 1h
  --aud <uri>      for which server; default: that of the settings
  --iss <issuer>   who issued it; default: JWT_ISSUER
  --client <id>    client_id
  --raw            prints the token alone
  -h, --help       prints this
`
/** Longest life of a token that the server accepts, ms. */
const MAX_TTL_MS = 24 * 60 * 60 * 1000
const REVISION = '2026-07-28'
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

class UsageError extends Error {}

const TEXT = { type: 'string' } as const
const OPTIONS = {
  sub: TEXT,
  scope: TEXT,
  ttl: { ...TEXT, default: '1h' },
  aud: TEXT,
  iss: TEXT,
  client: TEXT,
  raw: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

type Given = ReturnType<typeof given>

function given() {
  try {
    return parseArgs({ options: OPTIONS }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function claimsOf({ sub, scope, ttl, aud, iss, client }: Given, settings: Settings): object {
  if (!sub) throw new UsageError('--sub: expected who calls, such as --sub alice')
  const ttlMs = /^\d+(\.\d+)? ?[a-z]/i.test(ttl) ? parseTime(ttl) : undefined
  if (ttlMs === undefined || ttlMs < 1000 || ttlMs > MAX_TTL_MS) {
    throw new UsageError('--ttl: expected a time with its unit, such as 15m or 1h, of at most 24h')
  }
  const scopes = scope?.split(' ').filter(entry => entry !== '') ?? []
  if (!scopes.every(entry => SCOPE.test(entry))) throw new UsageError('--scope: expected scopes, separated by spaces')
  const rules = getClaimRules(settings)
  const iat = Math.floor(Date.now() / 1000)
  return {
    iss: iss ?? rules.issuer,
    sub,
    aud: aud ?? rules.audience,
    client_id: client,
    scope: scopes.length > 0 ? scopes.join(' ') : undefined,
    iat,
    exp: iat + Math.floor(ttlMs / 1000),
  }
}

async function sign(claims: object, secret: string): Promise<string> {
  const app = Fastify()
  await app.register(jwt, { secret, sign: { algorithm: 'HS256' } })
  const token = app.jwt.sign(claims)
  await app.close()
  return token
}

// Quotes for a POSIX shell: in single quotes, with each inner single quote escaped outside them.
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function curlLine(url: URL, token: string): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `MCP-Protocol-Version: ${REVISION}`,
    'Mcp-Method: tools/list',
  ]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } })
  return ['curl -s', quoted(url.href), ...headers.map(header => `-H ${quoted(header)}`), `-d ${quoted(body)}`].join(' ')
}

async function main(): Promise<void> {
  const options = given()
  if (options.help) return void process.stdout.write(HELP)
  const settings = readEnvironment()
  if (settings.jwtSecret === undefined) {
    throw new ConfigError('JWT_SECRET: expected the secret that the server has; make one with: openssl rand -hex 32')
  }
  const token = await sign(claimsOf(options, settings), settings.jwtSecret)
  process.stdout.write(`${options.raw ? token : curlLine(getPublicUrl(settings), token)}\n`)
}

main().catch((error: unknown) => {
  const isPlain = error instanceof ConfigError || error instanceof UsageError
  process.stderr.write(`${isPlain ? error.message : ((error as Error)?.stack ?? error)}\n`)
  if (error instanceof UsageError) process.stderr.write(`${USAGE}\n`)
  process.exitCode = 1
})
