// Runs the program of the official suite against a fixture server and hands over what it found, scenario by scenario.
// Judges nothing: its exit code counts failures only, so the files it leaves are read instead.
import { type ExecFileException, execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Run } from './expected.ts'
import { serveFixture } from './fixture.ts'
import { type Check, judgeRun, type Verdict } from './judge.ts'

const PROGRAM = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
const SCENARIO_TIMEOUT_MS = 20_000
/** Where it writes the checks of one scenario. */
const FOLDER = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/

/** Every server scenario that the suite has. */
export async function listScenarios(signal: AbortSignal): Promise<string[]> {
  const output = await runProgram(['list', '--server'], signal)
  return [...output.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name]) => name!)
}

/** What a run is made against. */
export interface Served {
  readonly url: string
  close(): Promise<unknown>
}

export type Serve = () => Promise<Served>

/** One process, which keeps its state in memory. */
export const serveAlone: Serve = async () => {
  const { app, url } = await serveFixture(0, { logLevel: 'silent', drainMs: 1000 })
  return { url, close: () => app.close() }
}

/** Makes one run against a server of its own. */
export async function runSuite(run: Run, signal: AbortSignal, serve: Serve = serveAlone): Promise<Verdict[]> {
  const { url, close } = await serve()
  const folder = await mkdtemp(join(tmpdir(), 'toolrack-conformance-'))
  try {
    const options = [...run.options, '--timeout', String(SCENARIO_TIMEOUT_MS)]
    await runProgram(['server', '--url', url, '-o', folder, ...options], signal)
    return judgeRun(run, await readChecks(folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
    await close()
  }
}

/** @returns the checks that a run has left in its folder, by scenario @throws Error where something else is there */
export async function readChecks(folder: string): Promise<Map<string, Check[]>> {
  const found = new Map<string, Check[]>()
  for (const name of await readdir(folder)) {
    const scenario = FOLDER.exec(name)?.[1]
    if (scenario === undefined) throw new Error(`${name} is not the folder of a scenario`)
    // Without the file the scenario broke off; it is then judged as one that did not run.
    const json = await readFile(join(folder, name, 'checks.json'), 'utf8').catch(() => undefined)
    if (json !== undefined) found.set(scenario, JSON.parse(json))
  }
  return found
}

/** @returns its standard output @throws Error where it could not run to its end */
function runProgram(args: string[], signal: AbortSignal): Promise<string> {
  const options = { signal, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 } as const
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [PROGRAM, ...args], options, (error: ExecFileException | null, stdout, stderr) => {
      // 1 says that checks have failed, which is read from the files.
      if (error === null || error.code === 1) resolve(stdout)
      else reject(new Error(`conformance ${args[0]} broke off: ${error.message}\n${stderr.slice(-2000)}`))
    })
  })
}
