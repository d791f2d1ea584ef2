// resources/subscribe and resources/unsubscribe: which changes a session hears of. Spec 2025-11-25: server/resources.
import { McpError } from '../protocol/errors.ts'
import { SubscribeParams } from '../protocol/schemas/methods.ts'
import { type Method, sessionOf } from './method.ts'
import { findResource } from './resources.ts'

export const subscribe: Method = {
  params: SubscribeParams,
  async serve(exchange, { catalog, access }) {
    const { uri } = exchange.params as SubscribeParams
    const found = findResource(catalog, uri)
    if (found === undefined) throw new McpError('RESOURCE_NOT_FOUND', uri, { data: { uri } })
    access.assertMay(exchange.caller, found.resource)
    await sessionOf(exchange).subscribe(uri)
    return { result: {} }
  },
}

/** Also of what is no longer there. */
export const unsubscribe: Method = {
  params: SubscribeParams,
  async serve(exchange) {
    await sessionOf(exchange).unsubscribe((exchange.params as SubscribeParams).uri)
    return { result: {} }
  },
}
