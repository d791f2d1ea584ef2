import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool, ToolError, Type } from 'toolrack'

const Order = Type.Object({ id: Type.Integer(), state: Type.String(), total: Type.Number() })
interface Page {
  readonly orders: { id: number; state: string; total: number }[]
  readonly next: string | null
}

export default defineTool({
  name: 'find_orders',
  description: 'Finds orders of the shop, the newest first. Example: { "state": "open" }.',
  inputSchema: Type.Object({
    state: Type.Optional(Type.Enum({ open: 'open', shipped: 'shipped' })),
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before' })),
  }),
  outputSchema: Type.Object({ orders: Type.Array(Order), nextCursor: Type.Optional(Type.String()) }),
  annotations: { readOnlyHint: true, openWorldHint: true },
  requires: ['SHOP_API_KEY'],
  settings: ['SHOP_API_URL'],
  timeout: '20 s',
  async handler({ state, cursor }, { signal }) {
    const query = new URLSearchParams({ limit: '50', ...(state && { state }), ...(cursor && { cursor }) })
    const { orders, next } = (await get(`orders?${query}`, signal)) as Page
    return {
      orders: orders.map(({ id, state, total }) => ({ id, state, total })),
      ...(next !== null && { nextCursor: next }),
    }
  },
})

async function get(path: string, signal: AbortSignal, mayWait = true): Promise<unknown> {
  const { SHOP_API_URL = 'https://api.shop.example/v1/', SHOP_API_KEY } = process.env
  const headers = { authorization: `Bearer ${SHOP_API_KEY}` }
  const response = await fetch(new URL(path, SHOP_API_URL), { headers, signal }).catch(error => {
    signal.throwIfAborted()
    throw new ToolError('The shop cannot be reached. Try again in a minute.', { cause: error })
  })
  if (response.ok) return response.json()
  await response.body?.cancel()

  const waitS = toSeconds(response.headers.get('retry-after') ?? '60')
  if (response.status === 429 && mayWait && waitS <= 5) {
    await sleep(waitS * 1000, undefined, { signal })
    return get(path, signal, false)
  }
  throw new ToolError(explain(response.status, waitS))
}

/** Retry-After has seconds or a date. */
const toSeconds = (text: string): number =>
  /^\d+$/.test(text) ? Number(text) : Math.max(1, Math.ceil((Date.parse(text) - Date.now()) / 1000))

function explain(status: number, waitS: number): string {
  if (status === 401) return 'The shop refuses the key of this server. Tell the user that an operator has to renew it.'
  if (status === 404) return 'The shop has no such page of orders. Call again without cursor.'
  if (status === 429) return `The shop is busy. Call again in ${waitS} seconds.`
  return `The shop answers with an error (HTTP ${status}). Try again later.`
}
