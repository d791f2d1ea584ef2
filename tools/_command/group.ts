// Process groups. A program's children belong to its group, unless they leave it by setsid, as
// daemons do. On Linux those are found by a mark in the environment they started with; a process
// with another environment is not found. No process is ended if SIGKILL ends this one.
import { readdirSync, readFileSync } from 'node:fs'

/** The environment variable with the mark. */
export const MARK = 'TOOLRACK_CALL'
/** How often `end` looks for processes that started while it killed others. */
const MAX_ROUNDS = 20

export interface Group {
  /** Process id of its first process, and id of the group. */
  readonly pid: number
  /** Inherited by all processes that it starts. */
  readonly mark: string
}

const running = new Set<Group>()

/** Ends the group if this process exits before `disown`. */
export function own(group: Group): void {
  // Registered only while a group exists: this file is loaded anew on each change of the tools, and
  // listeners would add up.
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

/** Kills the rest of a group, and the processes that have left it. */
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

/** Asks a group to end, by SIGTERM. */
export const terminate = ({ pid }: Group): void => send(-pid, 'SIGTERM')

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process no longer exists.
  }
}

// Process ids grow, so older processes need not be read. If the ids wrap around meanwhile, some
// processes are not found.
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

// Empty for processes that have ended and for those of other users.
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}
