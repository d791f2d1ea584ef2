// Bounds of time and size on every connection. Spec-silent; docs/limits.md has the reasons.
import type { Settings } from './config.ts'
import { requestIds } from './request-ids.ts'

export function httpOptions({ trustProxy }: Settings) {
  return {
    trustProxy: trustProxy === false ? false : [...trustProxy],
    // Fastify's own logging, even where it writes nothing, makes a logger and two listeners for each request.
    logger: false,
    genReqId: requestIds(),
    return503OnClosing: false,
    requestTimeout: 10_000,
    http: {
      headersTimeout: 5000,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16 * 1024,
      // A second Host, Content-Type or Authorization would else be dropped in silence; joined, it fits nothing.
      joinDuplicateHeaders: true,
    },
  }
}
