// `toolrack doctor`: runs the checks one after the other, within one time, and prints what they find.
import { isOrigin } from '../../config/addresses.ts'
import { resolveTarget, type Target, type TargetOptions } from '../client/target.ts'
import { toVisibleLine } from '../client/visible.ts'
import { CommandError, UsageError } from '../errors.ts'
import { runInterruptible } from '../interrupt.ts'
import type { Io } from '../io.ts'
import { checkAccess } from './checks/access.ts'
import { checkAccept, checkClock, checkLimits, checkStreaming } from './checks/answers.ts'
import { checkCors, checkHost, checkOrigin } from './checks/browsers.ts'
import { checkLists } from './checks/lists.ts'
import { checkLegacy, checkModern, checkName, checkReach, createEndpointCheck } from './checks/reach.ts'
import { checkReplicas, checkSessions } from './checks/sessions.ts'
import { type Check, type Finding, type Level, type Patient, StopDiagnosis } from './finding.ts'
import { createSend } from './http.ts'
import { endSession } from './mcp.ts'

interface DoctorOptions extends TargetOptions {
  readonly json?: boolean
  readonly origin?: string
}

/** For one request, and for all of them. */
const REQUEST_MS = 10_000
const TOTAL_MS = 60_000

const listChecks = (target: Target): readonly (readonly [name: string, check: Check])[] => [
  ['name', checkName],
  ['reach', checkReach],
  ['endpoint', createEndpointCheck(target.urls.slice(1))],
  ['access', checkAccess],
  ['revisions', checkModern],
  ['revisions', checkLegacy],
  ['accept', checkAccept],
  ['streams', checkStreaming],
  ['cors', checkCors],
  ['origin', checkOrigin],
  ['host', checkHost],
  ['sessions', checkSessions],
  ['replicas', checkReplicas],
  ['lists', checkLists],
  ['clock', checkClock],
  ['limits', checkLimits],
]

export async function runDoctor(url: string | undefined, options: DoctorOptions, io: Io): Promise<void> {
  const target = resolveTarget(url, options)
  const origin = options.origin === undefined ? undefined : parseOrigin(options.origin)
  const totalMs = options.timeout ?? TOTAL_MS
  const findings: Finding[] = []
  const report = (finding: Finding) => {
    findings.push(finding)
    if (!options.json) io.print(formatFinding(finding, io))
  }
  const patient = await runInterruptible(async signal => {
    const deadline = AbortSignal.timeout(totalMs)
    const timeoutMs = Math.min(REQUEST_MS, totalMs)
    const patient = createPatient(target, { origin, signal: AbortSignal.any([signal, deadline]), timeoutMs, report })
    await diagnose(patient, target, { signal, deadline, totalMs })
    return patient
  })
  const count = (level: Level) => findings.filter(each => each.level === level).length
  if (options.json)
    io.printJson({ url: patient.url.href, problems: count('problem'), warnings: count('warning'), findings })
  else io.print(`\n${plural(count('problem'), 'problem')}, ${plural(count('warning'), 'warning')}: ${patient.url.href}`)
  if (count('problem') > 0) throw new CommandError('')
}

const plural = (count: number, what: string) => `${count === 0 ? 'no' : count} ${what}${count === 1 ? '' : 's'}`

function parseOrigin(text: string): string {
  if (isOrigin(text) && !text.endsWith('://')) return text
  throw new UsageError(`--origin: expected an origin such as https://app.example, not ${JSON.stringify(text)}`)
}

interface Bounds {
  readonly signal: AbortSignal
  readonly deadline: AbortSignal
  readonly totalMs: number
}

interface PatientOptions {
  readonly origin: string | undefined
  readonly signal: AbortSignal
  readonly timeoutMs: number
  report(finding: Finding): void
}

function createPatient(target: Target, { origin, signal, timeoutMs, report }: PatientOptions): Patient {
  const { headers, token } = target
  const url = target.urls[0]!
  const patient: Patient = {
    check: '',
    url,
    send: createSend({ origin: url.origin, headers, signal, timeoutMs }),
    token,
    origin,
    ok: seen => report({ check: patient.check, level: 'ok', seen }),
    warn: (seen, fix) => report({ check: patient.check, level: 'warning', seen, fix }),
    problem: (seen, fix) => report({ check: patient.check, level: 'problem', seen, fix }),
  }
  return patient
}

async function diagnose(patient: Patient, target: Target, { signal, deadline, totalMs }: Bounds): Promise<void> {
  try {
    for (const [check, run] of listChecks(target)) {
      patient.check = check
      await run(patient).catch(error => {
        if (error instanceof StopDiagnosis || signal.aborted || deadline.aborted) throw error
        patient.problem(
          `the check failed: ${toVisibleLine(error.message)}`,
          'look at the log of the server for this time',
        )
      })
    }
  } catch (error) {
    if (signal.aborted) throw error
    if (deadline.aborted)
      patient.problem(`not done after ${Math.round(totalMs / 1000)} s`, '--timeout 5m gives it more time')
    else if (!(error instanceof StopDiagnosis)) throw error
  } finally {
    if (patient.session?.id !== undefined) await endSession(patient.send, patient.url, patient.session).catch(() => {})
  }
}

const SIGNS = {
  ok: { text: 'ok     ', style: 'green' },
  warning: { text: 'warning', style: 'yellow' },
  problem: { text: 'PROBLEM', style: 'red' },
} as const
const CHECK_WIDTH = 10

function formatFinding({ check, level, seen, fix }: Finding, io: Io): string {
  const { text, style } = SIGNS[level]
  const head = `${io.paint(style, text)}  ${check.padEnd(CHECK_WIDTH)} ${toVisibleLine(seen)}`
  return fix === undefined ? head : `${head}\n${' '.repeat(text.length + 2 + CHECK_WIDTH + 1)}→ ${toVisibleLine(fix)}`
}
