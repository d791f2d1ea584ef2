// Bounds of time and size on every connection. Spec-silent; docs/limits.md has the reasons.
import type { Settings } from './config.ts'
import { requestIds } from './request-ids.ts'
import { clientErrorHandler, HEADERS_WITHIN_MS, MAX_HEADER_BYTES, REQUEST_WITHIN_MS } from './transport/below-routes.ts'

export function httpOptions({ trustProxy }: Settings) {
  return {
    trustProxy: trustProxy === false ? false : [...trustProxy],
    // Fastify's own logging, even where it writes nothing, makes a logger and two listeners for each request.
    logger: false,
    genReqId: requestIds(),
    return503OnClosing: false,
    requestTimeout: REQUEST_WITHIN_MS,
    clientErrorHandler: clientErrorHandler(),
    http: {
      headersTimeout: HEADERS_WITHIN_MS,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A guard looks, and says so in the format of the endpoint.
      requireHostHeader: false,
      // A second Host, Content-Type or Authorization would else be dropped in silence; joined, it fits nothing.
      joinDuplicateHeaders: true,
    },
  }
}
