// The page about tools of 2025-11-25: its messages, with a client of that revision.
import t from 'tap'
import { connected } from '../../support/client/app-client.ts'
import {
  assertSecurity,
  clientOf,
  failing,
  GET_WEATHER,
  GET_WEATHER_DATA,
  getWeather,
  getWeatherData,
  returning,
  WEATHER_DATA,
  WEATHER_TEXT,
} from './examples.ts'

const REVISION = '2025-11-25'
const open = clientOf(REVISION)
const data = 'AQID'
const icons = [{ src: 'https://example.com/weather-icon.png', mimeType: 'image/png', sizes: ['48x48'] }]
const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
}

t.test('2025-11-25, Capabilities: the example of the page', async t => {
  const { opened } = await open(t, { tools: [getWeather] })

  t.strictSame(opened.result.capabilities.tools, { listChanged: true })
})

t.test('2025-11-25, Listing Tools: the messages of the page, with icons', async t => {
  const client = await open(t, { tools: [{ ...getWeather, icons }, getWeatherData], pageSize: 1 })

  const { messages, result } = await client.send(client.request('tools/list', {}, 1))
  const next = await client.call('tools/list', { cursor: result.nextCursor })

  const { nextCursor } = result
  t.strictSame(messages, [{ jsonrpc: '2.0', id: 1, result: { tools: [{ ...GET_WEATHER, icons }], nextCursor } }])
  t.strictSame(next.result, { tools: [GET_WEATHER_DATA] })
})

t.test('2025-11-25, Tool: without execution a tool takes no task', async t => {
  const client = await open(t, { tools: [getWeather] })

  const { result } = await client.call('tools/list')

  t.notOk('execution' in result.tools[0])
  t.notOk('tasks' in client.opened.result.capabilities)
})

t.test('2025-11-25, Calling Tools: the messages of the page', async t => {
  const client = await open(t, { tools: [getWeather] })

  const call = client.request('tools/call', { name: 'get_weather', arguments: { location: 'New York' } }, 2)
  const { messages } = await client.send(call)

  t.strictSame(messages, [{ jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text: WEATHER_TEXT }] } }])
})

t.test('2025-11-25, List Changed Notification: the message of the page', async t => {
  const client = await connected(t, { tools: [getWeather] }, { revision: REVISION })
  const news = await client.listen()

  client.app.toolrack.add(getWeatherData)

  t.strictSame(await news.next(0), { jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
})

t.test('2025-11-25, Tool Names: the examples of the page are names, and case tells them apart', async t => {
  const names = ['getUser', 'getuser', 'DATA_EXPORT_v2', 'admin.tools.list', 'a', 'x'.repeat(128)]
  const client = await open(t, { tools: names.map(name => returning(name, name)) })

  for (const name of names) t.match((await client.callTool(name)).result, { content: [{ text: name }] })
})

t.test('2025-11-25, Tool Names: others are refused', async t => {
  const client = await open(t, { tools: [getWeather] })
  const { toolrack } = client.app

  for (const name of ['', 'x'.repeat(129), 'a b', 'a,b', 'a/b', 'é']) t.throws(() => toolrack.add(returning(name, '')))

  t.match((await client.call('tools/list')).result.tools, { length: 1 })
})

const BLOCKS = {
  'Text Content': { type: 'text', text: 'Tool result text' },
  'Image Content': { type: 'image', data, mimeType: 'image/png', annotations: { audience: ['user'], priority: 0.9 } },
  'Audio Content': { type: 'audio', data, mimeType: 'audio/wav' },
  'Resource Links': {
    type: 'resource_link',
    uri: 'file:///project/src/main.rs',
    name: 'main.rs',
    description: 'Primary application entry point',
    mimeType: 'text/x-rust',
  },
  'Embedded Resources': {
    type: 'resource',
    resource: {
      uri: 'file:///project/src/main.rs',
      mimeType: 'text/x-rust',
      text: 'fn main() {\n    println!("Hello world!");\n}',
      annotations: { audience: ['user', 'assistant'], priority: 0.7, lastModified: '2025-05-03T14:30:00Z' },
    },
  },
}

for (const [heading, block] of Object.entries(BLOCKS)) {
  t.test(`2025-11-25, ${heading}: the example of the page`, async t => {
    const client = await open(t, { tools: [returning('one', block)] })

    t.strictSame((await client.callTool('one')).result, { content: [block] })
  })
}

t.test('2025-11-25, Structured Content and Output Schema: the messages of the page', async t => {
  const client = await open(t, { tools: [getWeatherData] })

  const call = client.request('tools/call', { name: 'get_weather_data', arguments: { location: 'Oslo' } }, 5)
  const { messages } = await client.send(call)

  const content = [{ type: 'text', text: JSON.stringify(WEATHER_DATA) }]
  t.strictSame(messages, [{ jsonrpc: '2.0', id: 5, result: { content, structuredContent: WEATHER_DATA } }])
})

t.test('2025-11-25, Output Schema: a result that does not conform is not delivered', async t => {
  const { outputSchema } = GET_WEATHER_DATA
  const client = await open(t, { tools: [returning('bad', { ...WEATHER_DATA, humidity: 'high' }, { outputSchema })] })

  t.match((await client.callTool('bad')).result, { isError: true, structuredContent: undefined })
})

const SCHEMAS = {
  'the default dialect': numbers,
  'draft-07 by name': { $schema: 'http://json-schema.org/draft-07/schema#', ...numbers },
  'no parameters': { type: 'object', additionalProperties: false },
}

for (const [dialect, inputSchema] of Object.entries(SCHEMAS)) {
  t.test(`2025-11-25, Schema Examples: ${dialect}`, async t => {
    const client = await open(t, { tools: [returning('one', 'ok', { inputSchema })] })

    t.strictSame((await client.call('tools/list')).result.tools, [{ name: 'one', inputSchema }])
    t.match((await client.callTool('one', { a: 'x' })).result, { isError: true })
    const right = 'properties' in inputSchema ? { a: 1, b: 2 } : {}
    t.match((await client.callTool('one', right)).result, { content: [{ text: 'ok' }] })
  })
}

t.test('2025-11-25, Tool: a schema that is none is refused, null above all', async t => {
  const { app } = await open(t, { tools: [getWeather] })

  for (const inputSchema of [null, 'x', [], { type: 'array' }, { type: 'object', properties: 7 }])
    t.throws(() => app.toolrack.add(returning('bad', '', { inputSchema })), JSON.stringify(inputSchema))
})

t.test('2025-11-25, Error Handling: the protocol error of the page, and that of a malformed request', async t => {
  const client = await open(t, { tools: [getWeather] })

  const { messages } = await client.send(client.request('tools/call', { name: 'invalid_tool_name' }, 3))
  const malformed = await client.call('tools/call', { name: 'get_weather', arguments: 'x' })

  const error = { code: -32602, message: 'Unknown tool: invalid_tool_name' }
  t.strictSame(messages, [{ jsonrpc: '2.0', id: 3, error }])
  t.match(malformed.error, { code: -32602, message: /arguments/ })
})

t.test('2025-11-25, Error Handling: the tool execution error of the page', async t => {
  const said = 'Invalid departure date: must be in the future. Current date is 08/08/2025.'
  const client = await open(t, { tools: [failing(said)] })

  const { messages } = await client.send(client.request('tools/call', { name: 'failing' }, 4))

  t.strictSame(messages, [
    { jsonrpc: '2.0', id: 4, result: { content: [{ type: 'text', text: said }], isError: true } },
  ])
})

t.test('2025-11-25, Error Handling: an input validation error is a result that a model can act on', async t => {
  const client = await open(t, { tools: [getWeather] })

  t.strictSame((await client.callTool('get_weather', { location: 7 })).result, {
    content: [{ type: 'text', text: 'Invalid arguments for get_weather: location must be string' }],
    isError: true,
  })
})

t.test('2025-11-25, Security Considerations: inputs are validated, calls limited, outputs sanitised', async t => {
  await assertSecurity(t, REVISION)
})
