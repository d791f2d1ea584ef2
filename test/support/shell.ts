// A shell on a terminal, into which blocks of commands are pasted as a reader does.
import { spawn } from 'node:child_process'
import type { Test } from 'tap'
import { toPlainText } from './command-line.ts'
import { eventually } from './eventually.ts'

export interface ShellOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** What to type once a question is shown. */
  readonly answers: readonly (readonly [question: RegExp, keys: string])[]
}

export interface Shell {
  /** Pastes commands, and waits until all have ended. @returns what was shown since */
  paste(block: string): Promise<string>
  /** Pastes a command that goes on, and waits until it has shown this. @returns what was shown since */
  begin(block: string, shown: RegExp): Promise<string>
  /** Resolves once a command that goes on has shown this since it began. */
  shows(shown: RegExp): Promise<string>
  /** Ctrl-C. @returns what was shown since */
  interrupt(): Promise<string>
}

const PROMPT = '<ready>'

export async function openShell(t: Test, { cwd, env, answers }: ShellOptions): Promise<Shell> {
  const child = spawn('script', ['-qefc', 'stty cols 100 rows 40; exec bash --norc --noprofile -i', '/dev/null'], {
    cwd,
    env: { ...env, PS1: PROMPT, PS2: '', TERM: 'dumb', NO_COLOR: '1' },
  })
  t.teardown(() => child.kill('SIGKILL'))
  let text = ''
  let began = 0
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const since = (start: number) => toPlainText(text.slice(start))
  const countPrompts = (start: number) => text.slice(start).split(PROMPT).length - 1

  async function waitFor(start: number, isDone: () => boolean, what: string): Promise<string> {
    const left = new Set(answers)
    const answer = () => {
      for (const each of left) {
        const [question, keys] = each
        if (!question.test(since(start))) continue
        left.delete(each)
        child.stdin.write(keys)
      }
    }
    await eventually(
      () => {
        answer()
        return isDone()
      },
      what,
      TIMEOUT_MS,
    ).catch(error => {
      throw new Error(`${error.message}: ${since(start)}`)
    })
    return since(start)
  }

  await waitFor(0, () => countPrompts(0) > 0, 'the shell is ready')
  return {
    paste(block) {
      const start = text.length
      const commands = block.replaceAll('\\\n', '').trim().split('\n').length
      child.stdin.write(block)
      return waitFor(start, () => countPrompts(start) >= commands, `ended: ${block}`)
    },
    begin(block, shown) {
      const start = (began = text.length)
      child.stdin.write(block)
      return waitFor(start, () => shown.test(since(start)), `${block} has shown ${shown}`)
    },
    shows: shown => waitFor(began, () => shown.test(since(began)), `has shown ${shown}`),
    interrupt() {
      const start = text.length
      child.stdin.write('\x03')
      return waitFor(start, () => countPrompts(start) > 0, 'Ctrl-C')
    },
  }
}

/** npm may have to fetch what a project needs. */
const TIMEOUT_MS = 300_000
