// The server of a client command, and how to reach it: URL, token, headers, revision, timeout.
import { parse as parseTime } from '@lukeed/ms'
import { type Command, Option } from 'commander'
import { readEnvironment } from 'toolrack/environment'
import { VERSIONS } from 'toolrack/protocol'
import { getPublicUrl, isLoopback, toOpenUrl } from 'toolrack/settings'
import { hasCredentials, quoteUrl, WITH_PASSWORD } from 'toolrack/text'
import { UsageError } from '../errors.ts'
import { findServer, type NamedServer } from './servers.ts'

/** The values of the options below, from Commander. */
export interface TargetOptions {
  readonly token?: string
  readonly header?: readonly string[]
  readonly revision?: string
  readonly timeout?: number
}

export interface Target {
  /** In the order in which they are tried: a URL without a path may mean `/mcp`. */
  readonly urls: readonly URL[]
  /** Includes the token. */
  readonly headers: Readonly<Record<string, string>>
  readonly token?: string | undefined
  readonly revision?: string | undefined
  readonly timeoutMs: number
}

const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000
const DEFAULT_TIMEOUT_MS = 60_000

interface TargetHelp {
  readonly hasRevision?: boolean
  readonly timeout?: string
}

/** For `Command.argument`. */
export const URL_ARGUMENT = [
  '[URL]',
  'of the MCP endpoint, or the name of a server (default: the server of the settings, http://127.0.0.1:3000/mcp)',
] as const

export function addTargetOptions(
  command: Command,
  { hasRevision = true, timeout = TIMEOUT }: TargetHelp = {},
): Command {
  command
    .addOption(new Option('--token <token>', 'access token; the variable TOOLRACK_TOKEN keeps it off the screen'))
    .addOption(new Option('--header <name: value>', 'one more header; may be repeated').argParser(collect))
    .addOption(new Option('--timeout <time>', timeout).argParser(parseTimeout))
  if (hasRevision)
    command.addOption(new Option('--revision <date>', 'speaks this revision of MCP only').choices([...VERSIONS]))
  return command
}

const TIMEOUT = 'how long an answer may take, such as 30s or 5m (default: 60s)'

/** For options that may be repeated. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

/** For `Option.argParser`. @throws UsageError */
export function parseTimeout(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseTime(text)
  if (ms === undefined || !(ms >= 1 && ms <= MAX_TIMEOUT_MS))
    throw new UsageError(`--timeout: expected a time such as 30s or 5m, not ${JSON.stringify(text)}`)
  return ms
}

/** @param text as written; undefined for the server of the settings */
export function resolveTarget(text: string | undefined, options: TargetOptions): Target {
  const named = text === undefined ? undefined : findServer(text)
  const token = options.token ?? readToken(text, named)
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('the token has characters that no header may have; is there a line break in it?')
  return {
    urls:
      text === undefined ? [toOpenUrl(getPublicUrl(readEnvironment()))] : toCandidates(parseUrl(named?.url ?? text)),
    headers: {
      ...Object.fromEntries((options.header ?? []).map(parseHeader)),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    token,
    revision: options.revision,
    timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
  }
}

const LOCAL = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:\/|$)/i
const REMOTE = /^[a-z\d-]+(?:\.[a-z\d-]+)+(?::\d+)?(?:\/|$)|^[a-z\d-]+:\d+(?:\/|$)/i

/** @throws UsageError if the variable of the server is not set */
function readToken(name: string | undefined, named: NamedServer | undefined): string | undefined {
  const { tokenEnv = 'TOOLRACK_TOKEN' } = named ?? {}
  const token = process.env[tokenEnv] || undefined
  if (named?.tokenEnv !== undefined && token === undefined)
    throw new UsageError(`${name}: expected its token in the variable ${tokenEnv}, which is not set`)
  return token
}

/** Whether a word means a server and not a tool: `localhost:3000`, or the name of a server. */
export const isServer = (word: string): boolean => isUrl(word) || findServer(word) !== undefined

export const isUrl = (word: string): boolean => /^\w+:\/\//.test(word) || LOCAL.test(word) || WITH_PASSWORD.test(word)

/** Also true for a URL without a scheme, if the next word can only be the tool. */
export const isServerBefore = (word: string, next: string | undefined): boolean =>
  isServer(word) || (next !== undefined && next !== '-' && !next.includes('=') && REMOTE.test(word))

/** @throws UsageError */
export function parseUrl(text: string): URL {
  const full = /^\w+:\/\//.test(text) ? text : `${LOCAL.test(text) || !REMOTE.test(text) ? 'http' : 'https'}://${text}`
  const url = URL.parse(full)
  if (url === null || !/^https?:$/.test(url.protocol) || /^https?:(?!\/\/)/i.test(text))
    throw new UsageError(`expected a URL such as https://example.com/mcp, not ${quoteUrl(text)}`)
  if (hasCredentials(url)) throw new UsageError(PASSWORD_IN_URL)
  url.hash = ''
  return url
}

const PASSWORD_IN_URL = 'the URL has a password in it; use --header "Authorization: Basic …"'

const toCandidates = (url: URL): readonly URL[] =>
  url.pathname === '/' && url.search === '' ? [new URL('/mcp', url), url] : [url]

function parseHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/s.exec(text) ?? []
  // The message does not repeat the value, which may be a secret.
  if (name === undefined || value === undefined || /[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new UsageError('--header: expected a name, a colon and a value, such as "X-Team: blue"')
  return [name, value]
}

/** A token that the user gives takes precedence over a sign-in. */
export const hasAuthorization = (headers: Target['headers']): boolean =>
  Object.keys(headers).some(name => name.toLowerCase() === 'authorization')

/** Whether a token would be sent where others can read it. */
export const isExposed = ({ urls: [url], token }: Target): boolean =>
  token !== undefined && url!.protocol === 'http:' && !isLoopback(url!.hostname)
