// `toolrack doctor`: runs the checks one after the other, within one time limit, and prints their
// findings.
import { isOrigin } from 'toolrack/settings'
import { hideCredentials, quoteUrl, toVisibleLine } from 'toolrack/text'
import { getNetworkCode } from '../client/failures.ts'
import { resolveTarget, type Target, type TargetOptions } from '../client/target.ts'
import { CommandError, UsageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { withSignIn } from '../sign-in/tokens.ts'
import { AbortChecks, type Check, type CheckContext, type Fault, type Finding } from './check-context.ts'
import { checkAccess } from './checks/access.ts'
import { checkAccept, checkClock, checkLimits, checkTime, describeLimits } from './checks/answers.ts'
import { checkCors, checkHost, checkOrigin } from './checks/browsers.ts'
import { checkHeaders } from './checks/headers.ts'
import { checkLists } from './checks/lists.ts'
import { checkName, checkReach, createEndpointCheck } from './checks/reach.ts'
import { checkLegacy, checkModern } from './checks/revisions.ts'
import { checkReplicas, checkSessions } from './checks/sessions.ts'
import { checkOpenStream, checkStreaming } from './checks/streams.ts'
import { createSend, HttpTimeout, type Send } from './http.ts'
import { endSession, HANDSHAKE_ID } from './mcp.ts'
import { formatFindings } from './report.ts'

export interface DoctorOptions extends TargetOptions {
  readonly json?: boolean
  readonly origin?: string
}

/** Time limits: for one request, and for all requests. */
const REQUEST_MS = 10_000
const TOTAL_MS = 60_000
/** Time limit for ending the sessions, also after Ctrl-C. */
const ENDING_MS = 1000

const listChecks = (target: Target): readonly (readonly [name: string, ...checks: readonly Check[]])[] => [
  ['name', checkName],
  ['reach', checkReach],
  ['endpoint', createEndpointCheck(target.urls.slice(1))],
  ['cors', checkCors],
  ['access', checkAccess],
  ['revisions', checkModern, checkLegacy],
  ['sessions', checkSessions],
  ['replicas', checkReplicas],
  ['streams', checkStreaming],
  ['headers', checkHeaders],
  ['accept', checkAccept],
  ['origin', checkOrigin],
  ['host', checkHost],
  ['lists', checkLists],
  ['time', checkTime],
  ['clock', checkClock],
  ['limits', checkLimits],
  ['idle', checkOpenStream],
]

const FAULTS = {
  failedCheck: {
    id: 'failed-check',
    severity: 'problem',
    effect: 'A client that sends such a request fails, too.',
    fix: 'look at the log of the server for this time',
  },
  connectionLost: {
    id: 'connection-lost',
    severity: 'problem',
    effect: 'The server was there, and is not any more. The other checks were left out.',
    fix: 'look at its log: has it ended, or does something before it refuse many requests?',
  },
  tooMany: {
    id: 'too-many-requests',
    severity: 'warning',
    effect: 'The other checks were left out. A client sends 5 to 10 requests as it connects.',
    fix: 'wait and run this again, or raise the limit for the time of the checks',
  },
  notDone: {
    id: 'not-done',
    severity: 'problem',
    effect: 'The other checks were left out.',
    fix: '--timeout 5m gives it more time',
  },
} as const satisfies Record<string, Fault>

/** @param signal aborts at Ctrl-C */
export async function runDoctor(
  url: string | undefined,
  options: DoctorOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const target = await withSignIn(resolveTarget(url, options))
  const origin = options.origin === undefined ? undefined : parseOrigin(options.origin)
  const totalMs = options.timeout ?? TOTAL_MS
  const findings: Finding[] = []
  const deadline = AbortSignal.timeout(totalMs)
  const stop = AbortSignal.any([signal, deadline])
  const timeoutMs = Math.min(REQUEST_MS, totalMs)
  const record: Recorder = (check, { id, severity, effect, fix }, cause) =>
    void findings.push(withoutCredentials({ id, check, severity, cause, ...(severity !== 'ok' && { effect, fix }) }))
  const context = createContext(target, { origin, signal: stop, timeoutMs, record })
  let shown = 0
  const show = () => {
    const next = findings.slice(shown)
    shown = findings.length
    if (!options.json) for (const check of groupByCheck(next)) io.print(formatFindings(check, io))
  }
  try {
    await runChecks(context, target, { stop, deadline, totalMs, record, show })
  } finally {
    await endAll(context, target)
  }
  signal.throwIfAborted()
  show()
  const [problems, warnings] = (['problem', 'warning'] as const).map(
    severity => findings.filter(each => each.severity === severity).length,
  ) as [number, number]
  const place = hideCredentials(context.url.href)
  if (options.json) io.printJson({ url: place, problems, warnings, findings })
  else io.print(`\n${plural(problems, 'problem')}, ${plural(warnings, 'warning')}: ${place}`)
  if (problems > 0) throw new CommandError('')
}

const withoutCredentials = ({ cause, fix, ...rest }: Finding): Finding => ({
  ...rest,
  cause: hideCredentials(cause),
  ...(fix !== undefined && { fix: hideCredentials(fix) }),
})

const groupByCheck = (findings: readonly Finding[]): readonly (readonly Finding[])[] => [
  ...Map.groupBy(findings, ({ check }) => check).values(),
]

const plural = (count: number, what: string) => `${count === 0 ? 'no' : count} ${what}${count === 1 ? '' : 's'}`

function parseOrigin(text: string): string {
  if (isOrigin(text) && !text.endsWith('://')) return text
  throw new UsageError(`--origin: expected an origin such as https://app.example, not ${quoteUrl(text)}`)
}

interface ContextOptions {
  readonly origin: string | undefined
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly record: Recorder
}

type Recorder = (check: string, fault: Fault | Passed, cause: string) => void
interface Passed extends Omit<Fault, 'severity'> {
  readonly severity: 'ok'
}

function createContext(target: Target, { origin, signal, timeoutMs, record }: ContextOptions): CheckContext {
  const { headers, token } = target
  const url = target.urls[0]!
  const once = new Set<string>()
  const send = createSend({ origin: url.origin, headers, signal, timeoutMs })
  // Findings of a check that was abandoned are only about its end.
  const tell = (check: string, fault: Fault | Passed, cause: string) => {
    if (!signal.aborted) record(check, fault, cause)
  }
  const context: CheckContext = {
    check: '',
    url,
    send: (...request) => send(...request).then(answer => stopIfTooMany(context, answer)),
    token,
    origin,
    sessions: new Set(),
    handshakeId: HANDSHAKE_ID,
    harmless: 'ping',
    ok: cause => tell(context.check, { id: context.check, severity: 'ok', effect: '', fix: '' }, cause),
    report: (fault, cause) => tell(context.check, fault, cause),
    reportOnce: (fault, cause) => {
      if (!once.has(fault.id)) tell('messages', fault, cause)
      once.add(fault.id)
    },
  }
  return context
}

/** Until access is checked, 429 is a finding of its own. */
const EARLY: readonly string[] = ['name', 'reach', 'endpoint', 'cors', 'access']

async function stopIfTooMany(context: CheckContext, answer: Awaited<ReturnType<Send>>): Promise<typeof answer> {
  if (answer.status !== 429 || EARLY.includes(context.check)) return answer
  context.report(FAULTS.tooMany, `refuses more requests now (429) ${describeLimits(answer)}`.trimEnd())
  throw new AbortChecks()
}

interface Bounds {
  /** Aborts at Ctrl-C, or at the deadline. */
  readonly stop: AbortSignal
  readonly deadline: AbortSignal
  readonly totalMs: number
  readonly record: Recorder
  show(): void
}

async function runChecks(context: CheckContext, target: Target, { stop, deadline, totalMs, record, show }: Bounds) {
  const stopped = new Promise<never>((_resolve, reject) =>
    stop.addEventListener('abort', () => reject(new AbortChecks()), { once: true }),
  )
  stopped.catch(() => {})
  try {
    for (const [name, ...checks] of listChecks(target)) {
      context.check = name
      // Work that cannot be aborted, such as a look-up of a name, is abandoned.
      for (const check of checks) await Promise.race([runCheck(check, context), stopped])
      stop.throwIfAborted()
      show()
    }
  } catch (error) {
    if (!(error instanceof AbortChecks) && !stop.aborted) throw error
    if (deadline.aborted) record(context.check, FAULTS.notDone, `not done after ${Math.round(totalMs / 1000)} s`)
  }
}

async function runCheck(check: Check, context: CheckContext): Promise<void> {
  try {
    await check(context)
  } catch (error) {
    if (error instanceof AbortChecks || (error as Error).name === 'AbortError') throw error
    const code = error instanceof HttpTimeout ? undefined : getNetworkCode(error)
    if (code === undefined)
      return context.report(FAULTS.failedCheck, `a request failed: ${toVisibleLine((error as Error).message)}`)
    context.report(FAULTS.connectionLost, `a connection fails, and others did not (${code})`)
    throw new AbortChecks()
  }
}

/** Does not use the signal of the checks, because sessions are ended after Ctrl-C, too. */
async function endAll(context: CheckContext, { headers, urls: [url] }: Target): Promise<void> {
  context.stream?.close()
  const signal = AbortSignal.timeout(ENDING_MS)
  const send = createSend({ origin: url!.origin, headers, signal, timeoutMs: ENDING_MS })
  await Promise.allSettled([...context.sessions].map(session => endSession({ ...context, send }, session)))
}
