// What `toolrack/door` exports: for programs that let requests in by another way.

export type { Shown, StartUpRow } from '../observability/banner.ts'
export type { EndedListener, EndedRequest } from '../observability/ended-request.ts'
export type { Asked, DoorClient } from '../open/request.ts'
export { McpError } from '../protocol/errors.ts'
export type { Answer } from '../request/answer.ts'
export type { Served, ServedResult } from '../request/served.ts'
export type { Conversation, ConversationFacts } from './conversation.ts'
export type { Door, DoorContext, DoorRequest, EventSink, RequestFacts } from './door.ts'
export type { ServeRequest } from './serve-request.ts'
export { type StdioOptions, stdio } from './stdio.ts'
