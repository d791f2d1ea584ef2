// Process groups: what a command starts belongs to its group, unless it leaves it by setsid, as daemons do. On Linux such
// are known by a mark in the environment that they were started with; one that was given another is not followed. Nor is
// anything ended where this process is killed by SIGKILL, which no program notices.
import { readdirSync, readFileSync } from 'node:fs'

/** The variable that bears the mark. */
export const MARK = 'TOOLRACK_CALL'
/** How often those are looked for that were started while others were killed. */
const MAX_ROUNDS = 20

export interface Group {
  /** The id of its first process, and its own. */
  readonly pid: number
  /** In the environment of all that it starts. */
  readonly mark: string
}

const running = new Set<Group>()

/** Until `disown`, the group does not outlive this process. */
export function own(group: Group): void {
  // Only while something runs: the file is loaded anew whenever it changes, and listeners would add up.
  if (running.size === 0) process.on('exit', endAll)
  running.add(group)
}

export function disown(group: Group): void {
  running.delete(group)
  if (running.size === 0) process.off('exit', endAll)
}

function endAll(): void {
  for (const group of running) end(group)
}

/** Kills what is left of a group, and what has left it. */
export function end(group: Group): void {
  send(-group.pid, 'SIGKILL')
  const killed = new Set<number>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = marked(group).filter(pid => !killed.has(pid))
    if (found.length === 0) return
    for (const pid of found) {
      send(pid, 'SIGKILL')
      killed.add(pid)
    }
  }
}

/** Asks a group to end. */
export const terminate = ({ pid }: Group): void => send(-pid, 'SIGTERM')

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // There is none any more.
  }
}

// Ids grow, so what was running before need not be read. Where they have begun anew meanwhile, some are not found.
function marked({ pid: first, mark }: Group): number[] {
  return processes().filter(pid => pid > first && environmentOf(pid).includes(`${MARK}=${mark}`))
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

// Of what has ended, and of other users, there is none.
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}
