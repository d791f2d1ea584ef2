// Isolated tools: a process loads the file of the tool, and its handler has the same context and the same results there.
import t from 'tap'
import { build, call, callTool } from '../../../../test/support/app.ts'
import { ABLE, accept, form } from '../../../../test/support/input/rounds.ts'
import { until } from '../../../../test/support/security/hostile.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'

const tool = (name: string, handler: string, more = '') =>
  `{ name: '${name}', isolate: true, ${more} handler: ${handler} }`
const file = (...tools: string[]) =>
  `import { image, ToolError, Type } from 'toolrack'
export default [${tools.join(',\n')}]
`
const folder = (t: Parameters<typeof tempFolder>[0], ...tools: string[]) =>
  build(t, { toolsDir: tempFolder(t, { 'tools.ts': file(...tools) }).path, watchTools: false })

t.test('isolate: the handler runs in another process, with its arguments', async t => {
  const app = await folder(
    t,
    tool('where', `({ who }) => ({ who, pid: process.pid })`, `inputSchema: Type.Object({ who: Type.String() }),`),
  )

  const { content } = await callTool(app, 'where', { who: 'me' })

  const { who, pid } = JSON.parse(content[0].text)
  t.equal(who, 'me')
  t.not(pid, process.pid)
})

t.test('isolate: results are what they are elsewhere: nothing, blocks of bytes, structured content', async t => {
  const app = await folder(
    t,
    tool('nothing', `() => {}`),
    tool('bytes', `() => image(new Uint8Array([1, 2, 3]), 'image/png')`),
    tool('structured', `() => ({ n: 1 })`, `outputSchema: Type.Object({ n: Type.Number() }),`),
    tool('wrong', `() => ({ n: 'x' })`, `outputSchema: Type.Object({ n: Type.Number() }),`),
    tool('date', `() => ({ a: [new Date()] })`),
    tool('large', `() => 'x'.repeat(50_000_000)`),
  )

  t.strictSame((await callTool(app, 'nothing')).content, [])
  t.match((await callTool(app, 'bytes')).content, [{ type: 'image', data: 'AQID', mimeType: 'image/png' }])
  t.strictSame((await callTool(app, 'structured')).structuredContent, { n: 1 })
  t.match(await callTool(app, 'wrong'), { isError: true, content: [{ text: /invalid result: structuredContent/ }] })
  t.match(await callTool(app, 'date'), {
    isError: true,
    content: [{ text: 'date returned an invalid result: a.0 is a Date, not a plain object' }],
  })
  t.match(await callTool(app, 'large'), { isError: true, content: [{ text: /too large/ }] })
})

t.test('isolate: errors keep their message, and ToolError what it is', async t => {
  const app = await build(t, {
    errorMessages: 'tool-errors',
    watchTools: false,
    toolsDir: tempFolder(t, {
      'tools.ts': file(
        tool('meant', `() => { throw new ToolError('for the model') }`),
        tool('other', `() => { throw new TypeError('inner') }`),
      ),
    }).path,
  })

  t.equal((await callTool(app, 'meant')).content[0].text, 'for the model')
  t.match((await callTool(app, 'other')).content[0].text, /^Tool failed \(ref /)
  t.match(
    app.logs.lines.find(({ msg, tool }) => msg === 'tool threw' && tool === 'other'),
    { reason: 'inner' },
  )
})

t.test('isolate: progress and log arrive, in order and before the result', async t => {
  const app = await folder(
    t,
    tool(
      'talk',
      `(_args, { progress, log, requestId }) => {
      progress(1, 3, 'one'); progress(2, 3); log.warning('careful', { n: 1 }); progress(3); return String(requestId)
    }`,
    ),
  )

  const { notifications, result } = await call(
    app,
    'tools/call',
    { name: 'talk', arguments: {} },
    { id: 'mine', meta: { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'warning' } },
  )

  t.match(notifications, [
    { params: { progress: 1, total: 3, message: 'one' } },
    { params: { progress: 2, total: 3 } },
    { params: { level: 'warning', logger: 'talk', data: { message: 'careful', data: { n: 1 } } } },
    { params: { progress: 3 } },
  ])
  t.equal(result.content[0].text, 'mine')
})

t.test('isolate: a question is asked, and its answer known when the handler runs again', async t => {
  const app = await folder(
    t,
    tool(
      'asker',
      `async (_args, { elicit }) => {
      const { content } = await elicit('name', ${JSON.stringify(form('name'))})
      return 'Hello ' + content.name
    }`,
    ),
  )
  const params = { name: 'asker', arguments: {} }

  const asked = await call(app, 'tools/call', params, { capabilities: ABLE })
  t.match(asked.result, { resultType: 'input_required', inputRequests: { name: { method: 'elicitation/create' } } })
  const { requestState } = asked.result
  const answered = await call(
    app,
    'tools/call',
    { ...params, requestState, inputResponses: { name: accept({ name: 'Ada' }) } },
    { capabilities: ABLE },
  )

  t.equal(answered.result.content[0].text, 'Hello Ada')
  t.match((await call(app, 'tools/call', params)).error, { code: -32021 })
})

t.test('isolate: the signal aborts at the deadline, and who stops keeps its process', async t => {
  const app = await folder(
    t,
    tool(
      'polite',
      `(_args, { signal, log }) => new Promise(done => {
      signal.addEventListener('abort', () => { log.info(signal.reason.name); done() })
    })`,
      'timeout: 200,',
    ),
    tool('where', `() => process.pid`),
  )

  // It has 100 ms to stop in: a busy machine may not let it.
  let isKept = false
  for (let tries = 0; !isKept && tries < 20; tries++) {
    const before = (await callTool(app, 'where')).content[0].text
    t.match(await callTool(app, 'polite'), { isError: true, content: [{ text: 'polite timed out after 200 ms' }] })
    isKept = (await callTool(app, 'where')).content[0].text === before
  }

  t.ok(isKept)
  await until(() => app.logs.lines.some(({ entry }) => entry === 'TimeoutError'), 'the signal was seen')
})

t.test('isolate: a shutdown ends what is under way', async t => {
  const app = await folder(
    t,
    tool('slow', `(_args, { log }) => { log.info('begun'); return new Promise(() => setInterval(() => {}, 1000)) }`),
  )
  const calling = callTool(app, 'slow')
  await until(() => app.logs.lines.some(({ entry }) => entry === 'begun'), 'it has begun')

  await app.close()

  t.match(await calling, { isError: true, content: [{ text: /shutting down/ }] })
})
