// The kinds of steps that rows share.
import type { Server, Step } from './client.ts'
import { toShell } from './quote.ts'
import { TOKEN_VARIABLE, wantsToken } from './token.ts'

/** The text of a step, of its sentences. */
export const say = (...sentences: readonly (string | false | undefined)[]): { readonly text?: string } => {
  const text = sentences.filter(each => typeof each === 'string').join(' ')
  return text === '' ? {} : { text }
}

/** Asks for the variable that the client reads the token from. */
export const setToken = (server: Server, client: string): string | false =>
  wantsToken(server) && `Set \`${TOKEN_VARIABLE}\` to your token in the environment of ${client}.`

/** A step for servers at which the client signs in by OAuth. */
export const signIn = ({ hasSignIn }: Server, text: string): readonly Step[] =>
  hasSignIn ? [{ title: 'Sign in', text }] : []

export const install = (...packages: readonly string[]): Step => ({
  title: 'Install it',
  snippet: { language: 'sh', text: `npm install ${packages.map(toShell).join(' ')}` },
})
