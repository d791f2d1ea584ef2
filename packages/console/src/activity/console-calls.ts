// Tells the console's own requests: its lists and its polls would bury the calls of users.
import { type RequestEnded, type RequestEndedListener } from 'toolrack/records'

/** Sent by the console with each request; a header, since sessions keep no name of their client. */
const HEADER = 'toolrack-client'

/** Methods that a user of the console calls: shown, whatever a client says of itself. */
const BY_USERS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

export const skipConsole =
  (listener: RequestEndedListener): RequestEndedListener =>
  ended => {
    if (!isOfConsole(ended)) listener(ended)
  }

const isOfConsole = ({ headers, method }: Pick<RequestEnded, 'headers' | 'method'>): boolean =>
  headers[HEADER] === 'console' && (method === undefined || !BY_USERS.has(method))
