// npm run attack:bodies: hostile bodies over real sockets, in both eras, with a good token; each has to be answered.
//   npm run attack:bodies -- --bodies=2000000     SEED=7 npm run attack:bodies
// Prints what went wrong, and exits with 1 where anything did.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { request } from '../../support/app.ts'
import { pick, random, SEED } from '../../support/security/mutants.ts'
import { BATCHES, handshake, OLDER } from '../../support/security/sessions.ts'
import { legacyBody, modernBody, TOKEN } from './hostile-bodies.ts'
import type { Held } from './server.ts'
import { ask, inParallel, type Sent, startTarget, type Target } from './target.ts'

const WIDTH = 16
const MAX_ANSWER_MS = 1000
const SESSION_TTL_MS = 2000
const MAX_HEAP_GROWTH = 16 * 1024 * 1024

export interface BodiesReport {
  readonly bodies: number
  readonly statuses: Record<string, number>
  readonly crashes: number
  readonly hangs: number
  readonly slowestMs: number
  readonly serverErrors: number
  /** Closed without an answer. */
  readonly unanswered: number
  /** Probes that were answered wrongly. */
  readonly wrongProbes: number
  /** Lines of the log at `error`. */
  readonly errorLines: number
  readonly heap: readonly [before: number, after: number]
  readonly rss: readonly [before: number, after: number]
  readonly faults: readonly string[]
  readonly isGood: boolean
}

async function openSession(target: Target, revision: string): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...TOKEN }
  const opened = await ask(target, { headers, body: JSON.stringify(handshake(revision)) })
  const id = opened.headers['mcp-session-id']
  if (typeof id !== 'string') throw new Error(`no session: ${opened.status} ${opened.text}`)
  return id
}

async function isAlive(target: Target, n: number): Promise<boolean> {
  const { message: asked, headers } = request(
    'tools/call',
    { name: 'echo', arguments: { message: n } },
    { id: `p${n}` },
  )
  const { status, text } = await ask(target, { headers: { ...headers, ...TOKEN }, body: JSON.stringify(asked) })
  return status === 200 && text.includes(`"id":"p${n}"`) && text.includes(`"text":"${n}"`)
}

class Run {
  readonly #target: Target
  readonly statuses: Record<string, number> = {}
  readonly faults: string[] = []
  readonly counts = { hangs: 0, serverErrors: 0, unanswered: 0, wrongProbes: 0 }
  slowestMs = 0
  #sessions: string[] = []

  constructor(target: Target) {
    this.#target = target
  }

  async begin(): Promise<void> {
    this.#sessions = await Promise.all([BATCHES, BATCHES, ...OLDER].map(each => openSession(this.#target, each)))
  }

  async attack(index: number): Promise<void> {
    const sent = random(2) === 0 ? modernBody() : legacyBody(pick(this.#sessions))
    const { status, elapsedMs, text } = await ask(this.#target, sent)
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
    this.slowestMs = Math.max(this.slowestMs, elapsedMs)
    if (elapsedMs > MAX_ANSWER_MS) this.#fault('hangs', sent, `${elapsedMs} ms`)
    if (status >= 500) this.#fault('serverErrors', sent, `${status} ${text}`)
    if (status === 0) this.#fault('unanswered', sent, 'no answer')
    if (status === 404 && text.includes('Session not found')) await this.begin()
    if (index % 250 === 0 && !(await isAlive(this.#target, index))) this.#fault('wrongProbes', sent, 'the probe failed')
  }

  #fault(kind: keyof Run['counts'], { body = '' }: Sent, what: string): void {
    this.counts[kind]++
    if (this.faults.length < 10) this.faults.push(`${kind}: ${what.slice(0, 200)}: ${String(body).slice(0, 300)}`)
  }
}

/** Attacks a server of its own. @param warmUp bodies before the first measure of memory */
export async function attackBodies(bodies: number, warmUp = Math.min(5000, bodies / 4)): Promise<BodiesReport> {
  const target = await startTarget(WIDTH, { SESSION_TTL_MS: String(SESSION_TTL_MS) })
  try {
    const run = new Run(target)
    const send = async (count: number) => {
      await run.begin()
      let sent = 0
      await inParallel(WIDTH, () => (sent < count && target.end === undefined ? run.attack(sent++) : undefined))
    }
    await send(warmUp)
    const before = await rested(target)
    await send(bodies - warmUp)
    const after = await rested(target, before)
    return reportOf(run, target, { bodies, before, after })
  } finally {
    target.close()
  }
}

/** How often its memory is looked at: a machine that stands still has sessions expire later than they should. */
const LOOKS = 4

// Sessions expire, and what was in flight ends. @param before what is not to be much exceeded
async function rested(target: Target, before?: Held): Promise<Held> {
  for (let look = 1; target.end === undefined; look++) {
    await sleep(2 * SESSION_TTL_MS)
    if (target.end !== undefined) break
    const held = await target.held()
    if (before === undefined || held.heap - before.heap <= MAX_HEAP_GROWTH || look === LOOKS) return held
  }
  return { heap: 0, rss: 0, peakRss: 0 }
}

// Beside errors the log holds what is audited.
const isError = (line: string) => line !== '' && !/^\{"level":(?:[1-4]0),/.test(line)

interface Measured {
  readonly bodies: number
  readonly before: Held
  readonly after: Held
}

function reportOf(run: Run, { end, log }: Target, { bodies, before, after }: Measured): BodiesReport {
  const { counts, statuses, faults, slowestMs } = run
  const crashes = end === undefined ? 0 : 1
  const errors = log.split('\n').filter(isError)
  const errorLines = errors.length
  const isReturned = after.heap - before.heap <= MAX_HEAP_GROWTH
  const { hangs, serverErrors, unanswered, wrongProbes } = counts
  return {
    ...{ bodies, statuses, crashes, ...counts, slowestMs, errorLines },
    heap: [before.heap, after.heap],
    rss: [before.rss, after.rss],
    faults: [...faults, ...(errorLines > 0 ? [errors[0]!.slice(0, 1000)] : [])],
    isGood: crashes + hangs + serverErrors + unanswered + wrongProbes + errorLines === 0 && isReturned,
  }
}

const mib = ([before, after]: readonly [number, number]) =>
  `${(before / 2 ** 20).toFixed(1)} → ${(after / 2 ** 20).toFixed(1)} MiB`

export function rowsOf(report: BodiesReport): [what: string, figure: string | number][] {
  return [
    ['hostile bodies (SEED)', `${report.bodies} (${SEED})`],
    ['answers by status', JSON.stringify(report.statuses)],
    ['crashes', report.crashes],
    ['hangs over 1 s', `${report.hangs} (slowest ${Math.round(report.slowestMs)} ms)`],
    ['5xx', report.serverErrors],
    ['connections closed without an answer', report.unanswered],
    ['probes answered wrongly', report.wrongProbes],
    ['lines logged as errors', report.errorLines],
    ['heap before and after', mib(report.heap)],
    ['resident memory before and after', mib(report.rss)],
  ]
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { bodies: { type: 'string', default: '50000' } } })
  const report = await attackBodies(Number(values.bodies))
  for (const [what, figure] of rowsOf(report)) console.log(`| ${what} | ${figure} |`)
  for (const fault of report.faults) console.log(fault)
  console.log(report.isGood ? 'held' : 'BROKEN')
  process.exitCode = report.isGood ? 0 : 1
}
