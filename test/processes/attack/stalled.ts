// npm run attack:stalled: bodies that are nearly there and never end, from one address and from many.
//   npm run attack:stalled -- --only=chunks
// Prints the server's resident memory before, under and after each; exits with 1 where one took more than the bound.
import { type Flood, type FloodClient, runFloods } from './resident.ts'

/** Well below the 1 GiB that deploy/kubernetes gives a pod. */
export const MAX_RESIDENT = 512 * 2 ** 20

const ANNOUNCED = 2 ** 20
const BODY = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"probe","arguments":{"x":"${'x'.repeat(ANNOUNCED - 1000)}`

const head = (lines: string, type = 'application/json') =>
  `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\naccept: application/json\r\n${lines}\r\n\r\n`
const LENGTH = `content-length: ${ANNOUNCED}`
const CHUNKED = 'transfer-encoding: chunked'
const CHUNK = `${ANNOUNCED.toString(16)}\r\n`

/** @param addresses that they come from, in turn */
const stalled =
  (count: number, bytes: string, addresses = 1) =>
  async (_port: number, client: FloodClient) => {
    const from = (index: number) => `127.0.0.${(index % addresses) + 1}`
    await Promise.all(Array.from({ length: count }, (_, index) => client.open(bytes, undefined, from(index))))
  }

export const FLOODS: readonly Flood[] = [
  { name: '550 bodies that never end', run: stalled(550, head(LENGTH) + BODY) },
  { name: '550 in chunks', run: stalled(550, head(CHUNKED) + CHUNK + BODY) },
  { name: '550 of a type that is refused', run: stalled(550, head(LENGTH, 'text/plain') + BODY) },
  { name: '2,000 from 20 addresses', run: stalled(2000, head(LENGTH) + BODY, 20) },
  { name: '550 that are too large', run: stalled(550, head('content-length: 8000000') + BODY.repeat(7)) },
]

if (import.meta.main) await runFloods(FLOODS, MAX_RESIDENT)
