// Ids for log lines and references: unique across restarts and replicas, and cheap.
import { randomBytes } from 'node:crypto'

export function requestIds(): () => string {
  const prefix = randomBytes(4).toString('hex')
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}
