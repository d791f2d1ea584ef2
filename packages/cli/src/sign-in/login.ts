// `toolrack login`: shows the page to the user, waits for the answer, and reports the result.
import { createInterface } from 'node:readline'
import { isSafeUrl } from 'toolrack/settings'
import { toVisibleLine } from 'toolrack/text'
import { resolveTarget } from '../client/target.ts'
import { CommandError } from '../errors.ts'
import { runInterruptible } from '../interrupt.ts'
import type { Io } from '../io.ts'
import { hasBrowser, openBrowser } from './browser.ts'
import { signIn } from './flow.ts'

interface LoginOptions {
  readonly scope: readonly string[]
  readonly clientId?: string
  readonly port?: number
  readonly header?: readonly string[]
  readonly timeout?: number
  readonly json?: boolean
}

const TIMEOUT_MS = 5 * 60_000

export async function runLogin(url: string | undefined, options: LoginOptions, io: Io): Promise<void> {
  const { header, clientId, scope, port = 0, timeout = TIMEOUT_MS } = options
  const target = resolveTarget(url, header === undefined ? {} : { header })
  if (target.urls.some(each => !isSafeUrl(each)))
    io.note('Warning: this server has no TLS; others can read its tokens on the way.')
  const made = await runInterruptible(async signal => {
    const deadline = AbortSignal.timeout(timeout)
    try {
      return await signIn({
        target,
        scope: scope.join(' ').replaceAll(',', ' ') || undefined,
        clientId,
        clientSecret: process.env['TOOLRACK_CLIENT_SECRET'] || undefined,
        port,
        signal: AbortSignal.any([signal, deadline]),
        ask: (page, state, within) => ask(page, { state, within, io }),
      })
    } catch (error) {
      if (!signal.aborted && deadline.aborted)
        throw new CommandError('nobody has signed in in time; --timeout 15m waits longer', { cause: error })
      throw error
    }
  })
  const { issuer, tokens, expiresMs } = made
  const expires = expiresMs === undefined ? undefined : new Date(expiresMs).toISOString()
  const isRefreshed = tokens.refresh_token !== undefined
  if (options.json) io.printJson({ url: made.url, issuer, scope: tokens.scope, expires, isRefreshed })
  else io.print(`Signed in to ${made.url}${tokens.scope ? `, for ${toVisibleLine(tokens.scope)}` : ''}.`)
  if (expires !== undefined && !isRefreshed)
    io.note(`The sign-in ends at ${expires}: the authorization server issues no refresh token.`)
}

interface Asking {
  readonly state: string
  readonly within: AbortSignal
  readonly io: Io
}

function ask(page: URL, { state, within, io }: Asking): Promise<URLSearchParams> {
  const isOpened = hasBrowser()
  io.note(`${isOpened ? 'Sign in in the browser' : 'Open this page to sign in'}:\n  ${toVisibleLine(page.href)}`)
  if (isOpened) openBrowser(page)
  if (!io.isInteractive) return never()
  io.note('If the browser is on another machine: paste the address here at which it ends.')
  return readPasted(state, within, io)
}

/** Reads lines of the terminal until one is the address of the redirect. */
function readPasted(state: string, within: AbortSignal, io: Io): Promise<URLSearchParams> {
  const lines = createInterface({ input: process.stdin })
  within.addEventListener('abort', () => lines.close())
  return new Promise(resolve =>
    lines.on('line', line => {
      const answer = URL.parse(line.trim())?.searchParams
      if (answer?.get('state') === state) resolve(answer)
      else if (line.trim() !== '') io.note('That is not the address: it begins with http://127.0.0.1 and has a code.')
    }),
  )
}

const never = (): Promise<never> => new Promise(() => {})
