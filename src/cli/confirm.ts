// Asks the user on the terminal whether to go on.
import { InterruptedError } from './errors.ts'

/** @throws InterruptedError after Ctrl-C, for which the terminal sends no signal then */
export async function confirm(message: string): Promise<boolean> {
  const prompts = await import('./client/prompts.ts')
  try {
    return await prompts.confirm({ message, default: true }, { output: process.stderr })
  } catch (error) {
    if (error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name))
      throw new InterruptedError('')
    throw error
  }
}
