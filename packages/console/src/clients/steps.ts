// The kinds of steps that rows share.
import type { Server, Step } from './client.ts'
import { toMcpServers, toShell } from './quote.ts'
import { TOKEN_VARIABLE, wantsToken } from './token.ts'

/** The text of a step, of its sentences. */
export const say = (...sentences: readonly (string | false | undefined)[]): { readonly text?: string } => {
  const text = sentences.filter(each => typeof each === 'string').join(' ')
  return text === '' ? {} : { text }
}

/**
 * Where the user pastes an entry that nobody else can write: in the client's editor, or in a dialog.
 */
export interface EntryPlace {
  readonly title: string
  readonly text: string
  /** The client's name for the file. */
  readonly file?: string
}

/** @param note another sentence */
export const pasteEntry = (
  { title, text, file }: EntryPlace,
  key: string,
  entry: object,
  note: string | false = false,
): Step => ({
  title,
  ...say(text, note),
  snippet: { language: 'json', ...(file !== undefined && { file }), text: toMcpServers(key, entry) },
})

/** Tells the user to set the variable from which the client reads the token. */
export const setToken = (server: Server, client: string): string | false =>
  wantsToken(server) && `Set \`${TOKEN_VARIABLE}\` to your token in the environment of ${client}.`

/** A step for servers at which the client signs in by OAuth. */
export const signIn = ({ hasSignIn }: Server, text: string): readonly Step[] =>
  hasSignIn ? [{ title: 'Sign in', text }] : []

export const install = (...packages: readonly string[]): Step => ({
  title: 'Install it',
  snippet: { language: 'sh', text: `npm install ${packages.map(toShell).join(' ')}` },
})
