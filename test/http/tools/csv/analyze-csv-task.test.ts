// analyze_csv as a task, over a server that listens, in both revisions that know tasks.
import t, { type Test } from 'tap'
import { listening, readMessages, request } from '../../../support/app.ts'
import { open } from '../../../support/client/app-client.ts'
import { dataFile, only } from '../../../support/tools/shipped.ts'
import type { WireMessage } from '../../../support/wire/modern.ts'

const ROWS = 300_000
const SUMMED = { rows: ROWS, columns: [{ name: 'a', type: 'number', count: ROWS, sum: ROWS }] }
const SAID = new RegExp(`^\\d+ rows so far, bytes read \\(\\d+ of ${2 * ROWS + 2}\\)$`)
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** A server of the shipped tools, and the arguments of a call that takes its time. */
async function served(t: Test) {
  const filepath = dataFile(t, `a\n${'1\n'.repeat(ROWS)}`)
  return {
    ...(await listening(t, { ...(await only('analyze_csv')), tasks: { inlineMs: 0 } })),
    args: { filepath, operations: ['sum'] },
  }
}

async function post(url: string, headers: Record<string, string>, message: object): Promise<WireMessage['result']> {
  const { host: _, ...rest } = headers
  const response = await fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message) })
  const text = await response.text()
  const last = readMessages(response.headers.get('content-type')!, text).at(-1)
  if (last?.result === undefined) throw new Error(`no result: ${response.status} ${text.slice(0, 500)}`)
  return last.result
}

t.test('analyze_csv: runs as a task in 2026-07-28, and says how far it has come', async t => {
  const { url, args } = await served(t)
  const ask = (method: string, params: Record<string, unknown>) => {
    const { message, headers } = request(method, params, { capabilities: TASKS })
    return post(url, headers, message)
  }

  const handle = await ask('tools/call', { name: 'analyze_csv', arguments: args })
  const { taskId } = handle
  let said: string | undefined
  let task = await ask('tasks/get', { taskId })
  for (; task.status === 'working'; task = await ask('tasks/get', { taskId })) said = task.statusMessage ?? said

  t.match(handle, { resultType: 'task', status: 'working' })
  t.match(said, SAID)
  t.equal(task.status, 'completed')
  t.strictSame(task.result.structuredContent, SUMMED)
})

t.test('analyze_csv: runs as a task in 2025-11-25, and tells its session how far it has come', async t => {
  const { app, url, args } = await served(t)
  const client = await open(t, app)
  const said: string[] = []
  const news = await fetch(url, { headers: client.headers({ 'content-type': undefined, accept: 'text/event-stream' }) })
  const hearing = hear(news, ({ params }) => said.push(params.statusMessage ?? params.status))
  const ask = (method: string, params: object) => post(url, client.headers(), client.request(method, params))

  const { task } = await ask('tools/call', { name: 'analyze_csv', arguments: args, task: {} })
  const result = await ask('tasks/result', { taskId: task.taskId })
  await client.end()
  await hearing

  t.equal(task.status, 'working')
  t.strictSame(result.structuredContent, SUMMED)
  t.match(said[0], SAID)
  t.equal(said.at(-1), 'completed')
})

/** Reads a stream to its end. */
async function hear(response: Response, listener: (message: WireMessage) => void): Promise<void> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop()!
    const data = blocks.flatMap(block => block.split('\n')).filter(line => line.startsWith('data: {'))
    for (const line of data) listener(JSON.parse(line.slice(6)))
  }
}
