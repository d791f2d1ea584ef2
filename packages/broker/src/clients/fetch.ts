// The only requests to addresses that strangers choose: metadata documents of clients, and their
// keys. Only https, GET and one checked address; no redirects, no proxy; bounded in time and size.

import dns, { type LookupAddress } from 'node:dns'
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { type AllowList, BAD_PORTS, isPublic } from 'toolrack/web'

/** Maximum size of headers, and of each answer. */
const MAX_HEADER_BYTES = 8 * 1024
const TIMEOUT_MS = 3000

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** @param allowed hosts of the operator, which need not be public */
export function createClientFetch(allowed: AllowList): Fetch {
  return async (input, { headers, signal } = {}) => {
    const url = new URL(input)
    const port = Number(url.port || 443)
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (url.protocol !== 'https:' || BAD_PORTS.has(port)) throw new Error('only https is fetched')
    const isFree = (address: string) => isPublic(address) || allowed.hasAddress(address, port)
    const isListed = allowed.hasName(host, port)
    // The lookup is never called for a host that is an address.
    if (isIP(host) !== 0 && !isListed && !isFree(host)) throw new Error('the address is not public')
    const lookup = createLookup(addresses => isListed || addresses.every(({ address }) => isFree(address)))
    const limit = AbortSignal.timeout(TIMEOUT_MS)
    return get(url, lookup, new Headers(headers), signal == null ? limit : AbortSignal.any([signal, limit]))
  }
}

/** Resolves once, and checks all addresses. The connection goes to one of them. */
function createLookup(areFree: (addresses: readonly LookupAddress[]) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    dns.lookup(hostname, { all: true, order: 'verbatim' }, (error, addresses) => {
      if (error !== null) return callback(error, '')
      if (addresses.length === 0 || !areFree(addresses)) return callback(new Error('the address is not public'), '')
      if (all === true) callback(null, addresses)
      else callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}

function get(url: URL, lookup: LookupFunction, headers: Headers, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options = {
      lookup,
      signal,
      agent: false as const,
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: { accept: headers.get('accept') ?? 'application/json' },
    }
    const outgoing = request(url, options, incoming => {
      const fields = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      )
      const status = incoming.statusCode ?? 0
      if (status < 200 || status > 599 || [204, 205, 304].includes(status)) {
        incoming.destroy()
        return reject(new Error(`unexpected status ${status}`))
      }
      const body = Readable.toWeb(incoming) as unknown as ReadableStream
      resolve(new Response(body, { status, headers: fields }))
    })
    outgoing.on('error', reject).end()
  })
}
