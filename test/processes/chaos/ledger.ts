// What the handlers of a chaos run did, in a file that outlives the processes that wrote it: one line for each start and
// end of a run, and one of whoever kills a process, with which its runs end too.
import { appendFileSync, readFileSync } from 'node:fs'

export interface Line {
  readonly what: 'start' | 'end' | 'abort' | 'killed'
  readonly atMs: number
  readonly pid: number
  /** Of one attempt to call a tool, and of one run of its handler. */
  readonly entry?: string
  readonly run?: string
}

export interface Run {
  readonly entry: string
  readonly pid: number
  readonly startMs: number
  /** When it ended, in whichever way; infinite where it never did. */
  endMs: number
  how: 'end' | 'abort' | 'killed' | 'open'
}

const nowMs = () => performance.timeOrigin + performance.now()

export function note(file: string, line: Omit<Line, 'atMs'>): void {
  appendFileSync(file, `${JSON.stringify({ ...line, atMs: nowMs() })}\n`)
}

/** Every run that was begun, by its entry, in order. */
export function runsOf(file: string): Map<string, Run[]> {
  const lines: Line[] = readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
  const byEntry = new Map<string, Run[]>()
  const open = new Map<string, Run>()
  for (const { what, atMs, pid, entry = '', run = '' } of lines.sort((a, b) => a.atMs - b.atMs)) {
    if (what === 'start') {
      const begun: Run = { entry, pid, startMs: atMs, endMs: Number.POSITIVE_INFINITY, how: 'open' }
      open.set(run, begun)
      byEntry.set(entry, [...(byEntry.get(entry) ?? []), begun])
    } else if (what === 'killed') {
      for (const [name, left] of open) if (left.pid === pid) close(open, name, { atMs, how: what })
    } else close(open, run, { atMs, how: what })
  }
  return byEntry
}

function close(open: Map<string, Run>, run: string, { atMs, how }: { atMs: number; how: Run['how'] }): void {
  const ended = open.get(run)
  if (ended === undefined) return
  ended.endMs = atMs
  ended.how = how
  open.delete(run)
}

/** Whether two of the runs were under way at the same time. */
export const overlap = (runs: readonly Run[]): boolean =>
  runs.some((run, index) => index > 0 && run.startMs < runs[index - 1]!.endMs)
