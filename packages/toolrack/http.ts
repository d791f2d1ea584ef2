// Doors over HTTP that ship: what they get beside `toolrack/door`, and facts of requests and streams.
export type { BrowserPage, BuiltInDoor, HttpSessions, ServerFacts, ServerWork } from '../../src/doors/built-in.ts'
export { toClientCapabilities } from '../../src/legacy/capabilities.ts'
export { parseEventId, RETRY_MS } from '../../src/legacy/resumable-stream.ts'
export { MAX_STALL_MS, type SseResponse } from '../../src/transport/event-stream.ts'
export { setIdleTimeout } from '../../src/transport/http-versions.ts'
export { isLocalRequest } from '../../src/transport/local-request.ts'
export { createMediaPattern } from '../../src/transport/media-type.ts'
export { isFromOwnPage } from '../../src/transport/own-page.ts'
