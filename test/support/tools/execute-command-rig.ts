// What the tests of execute_command share: a server that allows some programs, and a look at what runs.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { type App, callTool } from '../app.ts'
import { withoutSettings } from '../servers/own-process.ts'
import { serverProgram } from '../servers/program.ts'
import { serve, setting, toolModule } from './shipped.ts'

export const SHELL = 'sh -c'

/** A server that allows these programs. @throws Error where EXEC_ALLOW is wrong then */
export async function allowing(t: Test, ...entries: string[]): Promise<App> {
  setting(t, 'EXEC_ALLOW', entries.join(','))
  return serve(t, 'execute_command')
}

/** The result of a shell script. */
export async function shell(app: App, script: string) {
  return callTool(app, 'execute_command', { command: SHELL, args: [script] })
}

/** A script that writes its arguments as JSON. @returns the entry that allows it, and its name */
export function argumentsWriter(folder: string, end = ''): { entry: string; name: string } {
  const file = join(folder, 'argv.cjs')
  writeFileSync(file, 'process.stdout.write(JSON.stringify(process.argv.slice(2)))')
  return { entry: `${process.execPath} ${file}${end}`, name: `node ${file}` }
}

/** A server in a process of its own, which this one adds nothing to. Killed with the test. */
export async function ownServer(t: Test, settings: NodeJS.ProcessEnv): Promise<{ url: string; server: ChildProcess }> {
  const env = { ...withoutSettings(process.env), PORT: '0', DRAIN_MS: '100', LOG_LEVEL: 'info', ...settings }
  // The test runner has its own way with each child, by this variable.
  const args = ['-u', 'NODE_OPTIONS', process.execPath, serverProgram()]
  const server = spawn('env', args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => server.kill('SIGKILL'))
  let text = ''
  for await (const chunk of server.stdout) {
    text += chunk
    const found = /"endpoint":"([^"]+)"/.exec(text)
    if (found) return { url: found[1]!, server }
  }
  throw new Error(`the server did not start: ${text}`)
}

let loads = 0

/** The tool's definition as it is with the settings of now. */
export async function definition() {
  await toolModule('_command/programs.ts')
  const { href } = pathToFileURL(resolve('tools/execute-command.ts'))
  return (await import(`${href}?load=${++loads}`)).default
}

/** Process ids of a group; zombies count as ended. */
export function membersOf(group: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      const [state, , ofGroup] = statOf(name)
      return Number(ofGroup) === group && state !== 'Z' ? [Number(name)] : []
    })
}

// The name of a program stands in parentheses and may contain anything.
function statOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  } catch {
    return []
  }
}

/** Waits until nothing of a group runs. @throws Error where that takes longer than 30 s, long before those would end */
export async function gone(group: number): Promise<void> {
  for (let tries = 0; membersOf(group).length > 0; tries++) {
    if (tries === 1500) throw new Error(`group ${group} still has ${membersOf(group)}`)
    await wait(20)
  }
}
