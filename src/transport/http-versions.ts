// The differences between HTTP/1.1 and HTTP/2: an app around the server may speak either.
import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/** Whether the connection, or in HTTP/2 the stream, is closed: nothing can be sent any more. */
export const isGone = (response: ServerResponse): boolean => response.destroyed ?? toStream(response).destroyed

/** @param ms how long the client may neither send nor accept a byte */
export function setIdleTimeout(response: ServerResponse, ms: number): void {
  if (!('stream' in response)) {
    if (response.socket instanceof Socket) response.socket.setTimeout(ms)
    return
  }
  // The socket has the other requests of the client, too.
  const stream = toStream(response)
  stream.setTimeout(ms, () => stream.destroy())
}

/** Ends the connection after the answer. HTTP/2 has no such header: RFC 9113, 8.2.2. */
export function closeAfterwards(reply: FastifyReply): void {
  if (reply.request.raw.httpVersionMajor !== 2) reply.header('connection', 'close')
}

const toStream = (response: ServerResponse) => (response as unknown as Http2ServerResponse).stream
