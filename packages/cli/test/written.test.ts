// Numbers as the server wrote them, through JSON and through streams of events.
import type { Client } from '@modelcontextprotocol/client'
import t from 'tap'
import { parseWritten } from '../../plain-http/src/written-json.ts'
import { followTask } from '../src/client/tasks.ts'
import { keepWritten, readWritten, readWrittenData } from '../src/client/written.ts'

type Task = Parameters<typeof followTask>[1]

const NUMBERS = '[1.0,1e400,-1e400,12345678901234567890,0.10,-0,3]'
const MESSAGE = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"list":${NUMBERS}}}}`
const SHOWN = `{"content":[],"structuredContent":{"list":${NUMBERS}}}`

const answer = (body: string | ReadableStream<Uint8Array>, type: string) =>
  keepWritten(async () => new Response(body, { headers: { 'content-type': type } }))('http://server.example')

function inChunks(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size))
      controller.close()
    },
  })
}

async function readStream({ body }: Response): Promise<string> {
  let text = ''
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) text += chunk
  return text
}

t.test('JSON.stringify writes them as they came', async t => {
  t.equal(JSON.stringify(parseWritten(NUMBERS)), NUMBERS)
})

t.test('an answer of JSON', async t => {
  const { result } = (await (await answer(MESSAGE, 'application/json')).json()) as {
    result: { structuredContent: { list: number[] } }
  }

  t.equal(JSON.stringify(readWritten(result)), SHOWN)
  t.ok(result.structuredContent.list.every(Number.isFinite), 'a schema can check them')
})

t.test('what loses nothing is as it was', async t => {
  const message = { jsonrpc: '2.0', id: 1, result: { content: [], structuredContent: { n: 3 } } }

  t.strictSame(await (await answer(JSON.stringify(message), 'application/json')).json(), message)
})

t.test('the data of an error, and the result of a task that has ended', async t => {
  const data = `{"list":${NUMBERS}}`
  const refused = `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":${data}}}`
  const { error } = (await (await answer(refused, 'application/json')).json()) as { error: { data: unknown } }
  t.equal(JSON.stringify(readWrittenData(error.data)), data)
  t.equal(readWrittenData('a text'), 'a text')

  const ended = `{"jsonrpc":"2.0","id":1,"result":{"taskId":"1","status":"completed","result":${SHOWN}}}`
  const { result } = (await (await answer(ended, 'application/json')).json()) as { result: Task }
  const watcher = {
    onProgress() {},
    onLog() {},
    answer: async () => {},
    signal: new AbortController().signal,
    timeoutMs: 1,
  }
  t.equal(JSON.stringify(await followTask({} as Client, result, watcher)), SHOWN)
})

for (const [name, text] of [
  ['line feeds', `: begun\n\nid: 7\ndata: ${MESSAGE}\n\nevent: end\ndata: x\n\n`],
  ['carriage returns', `: begun\r\n\r\nid: 7\r\ndata: ${MESSAGE}\r\n\r\nevent: end\r\ndata: x\r\n\r\n`],
  ['data on several lines', `: begun\n\nid: 7\ndata: ${MESSAGE.replace(',', ',\ndata: ')}\n\nevent: end\ndata: x\n\n`],
] as const) {
  for (const size of [1, 7, 10_000]) {
    t.test(`a stream of events with ${name}, in chunks of ${size} bytes`, async t => {
      const seen = await readStream(await answer(inChunks(text, size), 'text/event-stream; charset=utf-8'))
      const [begun, event, end] = seen.replaceAll('\r\n', '\n').trim().split('\n\n')

      t.equal(begun, ': begun')
      t.equal(end, 'event: end\ndata: x')
      const [, data] = /^id: 7\ndata: (.*)$/.exec(event!) ?? []
      t.equal(JSON.stringify(readWritten(JSON.parse(data!).result)), SHOWN)
    })
  }
}
