// Starts servers in processes of their own, and measures their CPU time.
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

export interface Started {
  readonly child: ChildProcess
  readonly url: string
}

/** @param file a file in this folder, which sends its URL once it listens */
export async function start(file: string, args: readonly string[], env: Record<string, string> = {}): Promise<Started> {
  const child = fork(new URL(file, import.meta.url), args, { env: { ...process.env, ...env } })
  const url = (await receive(child)) as string
  return { child, url }
}

/** @throws Error if the process ends before it sends a message */
function receive(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`a server ended (${child.signalCode ?? child.exitCode}) before it answered`))
    if (!child.connected) return onExit()
    child.once('exit', onExit)
    child.once('message', message => {
      child.off('exit', onExit)
      resolve(message)
    })
  })
}

export async function stop({ child }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Pins a process: the server and the load each get a core, so that neither disturbs the other. */
export function pin(pid: number, cores: number | string): void {
  spawnSync('taskset', ['-acp', String(cores), String(pid)])
}

/** User and system time so far, of all threads, µs; NaN if there is no /proc. */
export function cpuUs({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1e6) / TICKS_PER_SECOND
  } catch {
    return Number.NaN
  }
}

/** Like `cpuUs`, to the microsecond and on every system; only servers.ts answers. */
export async function requestCpuUs({ child }: Started): Promise<number> {
  const received = receive(child)
  if (child.connected) child.send('cpuUsage')
  const { user, system } = (await received) as NodeJS.CpuUsage
  return user + system
}
