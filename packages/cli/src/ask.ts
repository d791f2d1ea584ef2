// Asks the user on the terminal, by a prompt of the library.
import { InterruptedError, UnansweredError } from './errors.ts'

type Prompt<C, T> = (config: C, context?: { output?: NodeJS.WritableStream; signal?: AbortSignal }) => Promise<T>

/**
 * Ctrl-C in a prompt ends the command, since the terminal sends no signal then. Ctrl-D closes the
 * input, and the prompt would wait forever.
 *
 * @throws InterruptedError after Ctrl-C; UnansweredError after Ctrl-D
 */
export async function ask<C, T>(prompt: Prompt<C, T>, config: C, signal?: AbortSignal): Promise<T> {
  const input = new AbortController()
  // An answered prompt also pauses the input, but it has settled by then.
  const end = () => void setImmediate(() => input.abort())
  process.stdin.once('pause', end)
  try {
    const signals = [input.signal, ...(signal === undefined ? [] : [signal])]
    return await prompt(config, { output: process.stderr, signal: AbortSignal.any(signals) })
  } catch (error) {
    if (input.signal.aborted && !signal?.aborted) throw new UnansweredError(INPUT_ENDED)
    if (error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name))
      throw new InterruptedError('')
    throw error
  } finally {
    process.stdin.off('pause', end)
  }
}

const INPUT_ENDED = 'the input ended (Ctrl-D) before the question was answered'
