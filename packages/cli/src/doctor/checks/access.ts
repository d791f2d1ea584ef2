// Checks access in the way of a client: refused, open, or 401 and then the way to a token.
// Spec 2026-07-28: basic/authorization.
import { toVisibleLine } from 'toolrack/text'
import { AbortChecks, type Check, type CheckContext, type Fault } from '../check-context.ts'
import { initialize, LEGACY, type Reply, sendModern } from '../mcp.ts'
import { adviseRefusedKey, checkKeyForm, findKey } from './api-key.ts'
import { checkResource, readParameter } from './resource.ts'
import { checkToken } from './token.ts'

const NOBODY = 'No client can use the server now.'

const FAULTS = {
  host: {
    id: 'host-refused',
    severity: 'problem',
    effect:
      'No client can use the server by this URL. Its check of Host, against DNS rebinding, does not know the name.',
    fix: 'allow this host (Toolrack: ALLOWED_HOSTS; SDKs: allowedHosts, allowed_hosts), or let the proxy set Host',
  },
  open: {
    id: 'open',
    severity: 'warning',
    effect: 'Everybody who reaches the server can use it.',
    fix: 'is access control on?',
  },
  byHand: {
    id: 'tokens-by-hand',
    severity: 'warning',
    effect: 'Clients that sign in by OAuth cannot: ChatGPT, claude.ai. Those that are given a token or a key can.',
    fix: 'give clients a token or a key, or serve metadata of the resource (RFC 9728; Toolrack: AUTHORIZATION_SERVERS)',
  },
  unchecked: {
    id: 'no-token',
    severity: 'warning',
    effect: 'Revisions, streams, sessions and lists need a token, and were not looked at.',
    fix: 'set TOOLRACK_TOKEN, and run this again',
  },
  refusedToken: {
    id: 'token-refused',
    severity: 'problem',
    effect: 'A client with it is refused, too.',
    fix: 'get a new one from the issuer above, for the resource above',
  },
} as const satisfies Record<string, Fault>

/** Status codes that are not about access or revisions, and what to do. */
const REFUSALS: readonly (readonly [status: number, fix: string])[] = [
  [403, 'the server or what stands before it refuses this host, address or caller: look at its rules and its log'],
  [421, 'let the server or the proxy know the host of this URL'],
  [429, 'wait until it takes requests again, then run this again'],
  [500, 'look at the log of the server for this time'],
  [502, 'start the server: what stands before it does not reach it'],
  [503, 'wait until the server is less busy or has started, then run this again'],
  [504, 'look at the server: what stands before it gets no answer'],
]

export const isRefusal = (status: number): boolean => REFUSALS.some(([each]) => each === status)

export const checkAccess: Check = async context => {
  const anonymous = await ask(context, true)
  await checkRefusal(context, anonymous)
  if (anonymous.status !== 401) {
    if (anonymous.result === undefined) return
    if (context.token !== undefined) return context.report(FAULTS.open, 'answers without the token too')
    return context.ok('answers without a token')
  }
  context.ok('asks for a token (401)')
  const issuers = await checkResource(context, anonymous)
  if (context.token === undefined) {
    // From --header: a key, or another kind of token.
    const { status } = await ask(context, false)
    if (status !== 401 && status !== 403) return context.ok('the headers of --header are accepted')
    if (issuers === undefined) context.report(FAULTS.byHand, 'nothing says who gives tokens')
    context.report(FAULTS.unchecked, 'what needs a token was not checked')
    throw new AbortChecks()
  }
  if (issuers === undefined) context.ok('nothing says who gives tokens: clients get them by hand')
  const key = findKey(context)
  if (key === undefined) checkToken(context, context.token, issuers ?? [])
  else checkKeyForm(context, key)
  const { status, headers } = await ask(context, false)
  const what = key === undefined ? 'token' : 'API key'
  if (status !== 401 && status !== 403) return context.ok(`the ${what} is accepted`)
  const reason = readParameter(headers['www-authenticate'] ?? '', 'error_description')
  context.report(
    key === undefined ? FAULTS.refusedToken : { ...FAULTS.refusedToken, fix: adviseRefusedKey(key, context.url) },
    `the ${what} is refused (${status})${reason === undefined ? '' : `: ${toVisibleLine(reason)}`}`,
  )
  throw new AbortChecks()
}

async function checkRefusal(context: CheckContext, { status }: Reply): Promise<void> {
  const refusal = REFUSALS.find(([each]) => each === status)
  if (refusal === undefined) return
  const other = status === 403 || status === 421 ? await findServedHost(context, status) : undefined
  if (other !== undefined)
    context.report(FAULTS.host, `refuses the host ${context.url.host} (${status}), and serves ${other}`)
  else
    context.report(
      { id: `refused-${status}`, severity: 'problem', effect: NOBODY, fix: refusal[1] },
      `refuses the request (${status})`,
    )
  throw new AbortChecks()
}

/** By default, servers that check Host accept the names of this machine. */
async function findServedHost(context: CheckContext, refused: number): Promise<string | undefined> {
  const { host, port } = context.url
  const names = ['localhost', '127.0.0.1'].flatMap(name => (port === '' ? [name] : [`${name}:${port}`, name]))
  for (const name of names.filter(each => each !== host)) {
    const { status } = await ask(context, true, { host: name })
    if (status !== refused) return name
  }
  return undefined
}

/** The answer of the era that asks for a token, if any. */
async function ask(context: CheckContext, isAnonymous: boolean, headers = {}): Promise<Reply> {
  const sending = { isAnonymous, headers }
  const modern = context.isProbeSilent === true ? undefined : await sendModern(context, 'server/discover', {}, sending)
  return modern !== undefined && (modern.result !== undefined || modern.status === 401)
    ? modern
    : initialize(context, LEGACY[0], sending)
}
