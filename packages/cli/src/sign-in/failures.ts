// Explains in one line why a sign-in has failed, and what to do.
import {
  AuthorizationServerMismatchError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client'
import { readErrorMessage, toVisibleLine } from 'toolrack/text'
import { explainNetworkCode, getNetworkCode } from '../client/failures.ts'
import { CommandError } from '../errors.ts'

const MAX_MESSAGE = 500
const REGISTER = 'register one there for the redirect http://127.0.0.1/callback, and pass its --client-id'

/** @param server the authorization server; if it is unknown, the server of the tools */
export function explainSignIn(error: unknown, server: string): unknown {
  if (error instanceof CommandError) return error
  const fail = (text: string) => new CommandError(toVisibleLine(`${server} ${text}`), { cause: error })
  if (error instanceof RegistrationRejectedError)
    return fail(`refuses to register a client (${error.status}): ${REGISTER}`)
  // Anybody may have sent the browser here, so the values are not shown.
  if (error instanceof IssuerMismatchError && error.kind === 'authorization_response')
    return fail('was asked, and another one has answered (iss); the answer is not used')
  if (error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError)
    return fail(`names another issuer than itself: ${error.message.slice(0, MAX_MESSAGE)}`)
  if (error instanceof OAuthError) return fail(`refuses: ${error.code}, ${error.message.slice(0, MAX_MESSAGE)}`)
  const code = getNetworkCode(error)
  if (code !== undefined) return new CommandError(`${server}: ${explainNetworkCode(code)}`, { cause: error })
  const message = readErrorMessage(error).slice(0, MAX_MESSAGE)
  // The client throws a plain error here, without a code.
  if (/dynamic client registration/.test(message)) return fail(`registers no clients: ${REGISTER}`)
  return error instanceof Error && message !== '' ? fail(`cannot be signed in to: ${message}`) : error
}
