// How steps and snippets use a token. They name the variable that contains it, and never print it.
import type { Server } from './client.ts'

/** The variable from which clients and programs read the token at each start. */
export const TOKEN_VARIABLE = 'TOOLRACK_TOKEN'

/** The variable of a command, which the shell replaces as the user runs it. */
export const SHELL_TOKEN = 'TOKEN'

/** Whether the user has to give the client a token. */
export const wantsToken = ({ needsToken, hasSignIn }: Server): boolean => needsToken && !hasSignIn

/** The `headers` of an entry in a file; `reference` is how this client reads a variable. */
export const tokenHeaders = (server: Server, reference: string) =>
  wantsToken(server) ? { headers: { Authorization: `Bearer ${reference}` } } : {}

/** Stands for a token in files that cannot read a variable, according to their documents. */
export const TOKEN_PLACE = `<${TOKEN_VARIABLE}>`

/** Tells the user to put the token into such a file. */
export const placeToken = (server: Server): string | false =>
  wantsToken(server) && `Put your token in place of \`${TOKEN_PLACE}\`.`

/** An option of a command. The quotes are double, so that the shell replaces the variable. */
export const headerOption = (server: Server): string =>
  wantsToken(server) ? ` --header "Authorization: Bearer $${SHELL_TOKEN}"` : ''

/** The text of a step whose command has that option. */
export const setShellToken = (server: Server): { readonly text?: string } =>
  wantsToken(server) ? { text: `Before, set \`${SHELL_TOKEN}\` to your token in the shell.` } : {}

/**
 * A property on its own line, for a program. A program has no browser for a sign-in, so it brings a
 * token even if other clients sign in by OAuth.
 *
 * @param property with its indent, without the comma
 */
export const tokenProperty = ({ needsToken }: Server, property: string): string => (needsToken ? `\n${property},` : '')
