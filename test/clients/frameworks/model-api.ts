// The APIs of OpenAI and Anthropic as far as the snippets use them: a model that calls one tool, and then ends with a word.
import { json } from 'node:stream/consumers'
import type { Test } from 'tap'
import { listen } from '../../support/servers/http-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
type Body = any

export interface ModelApi {
  readonly url: string
  readonly requests: readonly { readonly path: string; readonly body: Body }[]
}

const CALL = { name: 'get_price', arguments: JSON.stringify({ sku: 'ABC-1234' }) }
const usage = {
  input_tokens: 1,
  output_tokens: 1,
  total_tokens: 2,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
}

/** The tools that the caller runs itself; those of `mcp` are run by the vendor. */
const hasFunctions = ({ tools }: Body) => tools?.some(({ type }: Body) => type === 'function') === true

const ANSWERS: Readonly<Record<string, (body: Body) => object>> = {
  // Frameworks tell messages apart by their id.
  '/v1/responses'(body) {
    const isDone = !hasFunctions(body) || JSON.stringify(body.input).includes('function_call_output')
    const done = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'done', annotations: [] }],
    }
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', ...CALL }
    const output = [{ ...(isDone ? done : call), status: 'completed' }]
    return {
      id: `resp_${isDone}`,
      object: 'response',
      created_at: 0,
      status: 'completed',
      model: body.model,
      output,
      usage,
    }
  },
  '/v1/messages'({ model }) {
    const content = [{ type: 'text', text: 'done' }]
    return { id: 'msg_1', type: 'message', role: 'assistant', model, content, stop_reason: 'end_turn', usage }
  },
}

/** Listens until the test ends. */
export async function openModelApi(t: Test): Promise<ModelApi> {
  const requests: { path: string; body: Body }[] = []
  const url = await listen(t, async (request, response) => {
    const path = request.url!.split('?', 1)[0]!
    const body = await json(request)
    requests.push({ path, body })
    const answer = ANSWERS[path]
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer?.(body) ?? { error: { message: `no ${path}` } }))
  })
  return { url, requests }
}
