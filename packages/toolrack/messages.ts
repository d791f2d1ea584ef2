// Messages of MCP: opened, served and answered, in a session, a batch or by themselves.
export { emitRefused, serveMessage } from '../../src/dispatch.ts'
export { readBatch, serveEntries, toBatchAnswer } from '../../src/doors/batch.ts'
export type { ConversationParts, Converse } from '../../src/doors/converse.ts'
export { connect } from '../../src/doors/serve-request.ts'
export {
  answerInSession,
  handleClientMessage,
  isHandshake,
  type RequestMessage,
} from '../../src/doors/session-messages.ts'
export { openSession, openStateless } from '../../src/legacy/open.ts'
export { findMirroredTarget } from '../../src/methods/index.ts'
export { type ConnectionInfo, openMirrored, openModern } from '../../src/open/modern.ts'
export { EXPIRY_GRACE_MS } from '../../src/transport/event-stream.ts'
export { MAX_STREAMS_PER_SUBJECT } from '../../src/transport/stream-quota.ts'
