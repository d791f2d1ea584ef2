// What `toolrack/door` exports: for programs that let requests in by another way.
export type { Conversation, ConversationFacts } from '../../src/doors/converse.ts'
export type {
  BodyOptions,
  Door,
  DoorContext,
  DoorRequest,
  EventSink,
  GuardOptions,
  RequestFacts,
} from '../../src/doors/door.ts'
export type { ServeRequest } from '../../src/doors/serve-request.ts'
export type { EndedListener, EndedRequest } from '../../src/observability/ended-request.ts'
export type { Shown, StartUpRow } from '../../src/observability/start-up.ts'
export type { Asked, DoorClient } from '../../src/open/request.ts'
export { McpError } from '../../src/protocol/errors.ts'
export type { Answer } from '../../src/request/answer.ts'
export type { Served, ServedResult } from '../../src/request/served.ts'
export { type StdioOptions, stdio } from '../stdio/src/stdio.ts'
