// Which requests are those of the console itself: its lists and its polls would bury what users call.
import type { RequestEnded, RequestEndedListener } from './request-ended.ts'

/** Sent by the console with each request; a header, since sessions keep no name of their client. */
const HEADER = 'toolrack-client'

/** What a user of the console asks for. Whatever a client says of itself, these are shown. */
const BY_USERS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

export const skipConsole =
  (listener: RequestEndedListener): RequestEndedListener =>
  ended => {
    if (!isOfConsole(ended)) listener(ended)
  }

const isOfConsole = ({ headers, method }: Pick<RequestEnded, 'headers' | 'method'>): boolean =>
  headers[HEADER] === 'console' && (method === undefined || !BY_USERS.has(method))
