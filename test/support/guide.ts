// A guide as its reader works through it: its modules are files of a project that has the package, and its commands run
// there, at a server of that project.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { Test } from 'tap'
import { until } from './eventually.ts'
import { freePort } from './free-port.ts'
import { serverProgram } from './servers/program.ts'
import { tempFolder } from './tools-folder.ts'

const EXAMPLES = 'test/support/examples/guides'
/** How pages write the address of the server that their reader has started. */
const ADDRESS = /127\.0\.0\.1:3000/g

export interface Page {
  /** The block that has or is this text, without its fence. Each block is to be taken by a test. */
  take(language: string, has: string): string
  /** Blocks that no test has taken; of those in TypeScript `test/docs/examples.test.ts` takes care. */
  left(): string[]
}

export function readPage(path: string): Page {
  const blocks = [...readFileSync(path, 'utf8').matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent, language, code]) => ({ language, code: code!.replaceAll(new RegExp(`^${indent}`, 'gm'), '') }),
  )
  const taken = new Set<string>()
  return {
    take(language, has) {
      const ofLanguage = blocks.filter(each => each.language === language)
      const exact = ofLanguage.filter(({ code }) => code === has)
      const found = exact.length > 0 ? exact : ofLanguage.filter(({ code }) => code.includes(has))
      if (found.length !== 1) throw new Error(`${path}: ${found.length} blocks of ${language} have ${has}`)
      taken.add(found[0]!.code)
      return found[0]!.code
    },
    left: () => blocks.filter(({ language, code }) => language !== 'ts' && !taken.has(code)).map(({ code }) => code),
  }
}

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Project {
  readonly folder: string
  readonly port: number
  /** Runs commands of the page, as they stand but for the port. */
  run(commands: string, env?: Readonly<Record<string, string>>): Promise<Ran>
  /** Starts commands that do not end by themselves. They end with the test. */
  follow(commands: string, env?: Readonly<Record<string, string>>): Running
  /** Starts the server by a command of the page. Resolves when it is ready. */
  start(command: string, env?: Readonly<Record<string, string>>): Promise<Running>
}

export interface Running {
  /** What it has printed so far. */
  readonly log: string
  readonly hasEnded: boolean
  stop(): Promise<void>
}

/** @param files by the name that the page gives them, with the name of the example, or with a text that has line breaks */
export async function guideProject(t: Test, guide: string, files: Readonly<Record<string, string>>): Promise<Project> {
  const { path: folder } = tempFolder(t, { 'package.json': '{ "name": "shop", "type": "module" }\n' }, guide)
  for (const [name, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    const isText = source.includes('\n')
    writeFileSync(join(folder, name), isText ? source : readFileSync(join(EXAMPLES, guide, source)))
  }
  const program = serverProgram()
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(program, join(folder, 'node_modules/.bin/toolrack'))
  symlinkSync(resolve('.'), join(folder, 'node_modules/toolrack'))
  symlinkSync(resolve('node_modules/pg'), join(folder, 'node_modules/pg'))
  const port = await freePort()
  const base = {
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: folder,
    PORT: String(port),
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    npm_config_update_notifier: 'false',
  }
  const spawnShell = (commands: string, env: Readonly<Record<string, string>>) => {
    const text = commands.replace(ADDRESS, `127.0.0.1:${port}`)
    // A group of its own, since `npx` starts the program as a child.
    const child = spawn('bash', ['-c', text], { cwd: folder, env: { ...base, ...env }, detached: true })
    const ended = once(child, 'close').then(([code]) => code as number | null)
    t.teardown(() => end(child))
    return { child, ended, out: collect(child) }
  }
  const follow = (commands: string, env: Readonly<Record<string, string>> = {}): Running => {
    const { child, ended, out } = spawnShell(commands, env)
    return {
      get log() {
        return out.stdout + out.stderr
      },
      get hasEnded() {
        return child.exitCode !== null || child.signalCode !== null
      },
      async stop() {
        end(child, 'SIGTERM')
        await ended
      },
    }
  }

  return {
    follow,
    folder,
    port,
    async run(commands, env = {}) {
      const { child, ended, out } = spawnShell(commands, env)
      child.stdin.end()
      return { code: await ended, ...out }
    },
    async start(command, env = {}) {
      const running = follow(command, env)
      const isReady = async () => {
        if (running.hasEnded) throw new Error(`the server has ended: ${running.log}`)
        const answer = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined)
        return answer?.ok === true
      }
      await until(isReady, `${command} serves`)
      return running
    },
  }
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const out = { stdout: '', stderr: '' }
  child.stdout!.setEncoding('utf8').on('data', chunk => (out.stdout += chunk))
  child.stderr!.setEncoding('utf8').on('data', chunk => (out.stderr += chunk))
  return out
}

function end({ pid, exitCode }: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (pid === undefined || exitCode !== null) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended in the meantime.
  }
}
