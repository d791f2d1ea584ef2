// Recognises the console's own requests: its lists and polls would hide the calls of users.
import type { RequestEnded, RequestEndedListener } from 'toolrack/records'

/**
 * The console sends it with each request. It is a header, since sessions keep no name of their
 * client.
 */
const HEADER = 'toolrack-client'

/** Methods that a user of the console calls. They are always shown, whatever a client declares. */
const BY_USERS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

export const skipConsole =
  (listener: RequestEndedListener): RequestEndedListener =>
  ended => {
    if (!isOfConsole(ended)) listener(ended)
  }

const isOfConsole = ({ headers, method }: Pick<RequestEnded, 'headers' | 'method'>): boolean =>
  headers[HEADER] === 'console' && (method === undefined || !BY_USERS.has(method))
