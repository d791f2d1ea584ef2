// Ids of requests, for logs: unique across restarts and replicas, and cheap.
import { randomBytes } from 'node:crypto'

export function createRequestIds(): () => string {
  const prefix = randomBytes(4).toString('hex')
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}
