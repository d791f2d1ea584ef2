// The page about tools of 2025-06-18: its messages, with a client of that revision.
import t from 'tap'
import { defineResource, embeddedResource } from '../../../src/index.ts'
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

const REVISION = '2025-06-18'
const open = clientOf(REVISION)
const data = 'AQID'

t.test('2025-06-18, Capabilities: the example of the page', async t => {
  const { opened } = await open(t, { tools: [getWeather] })

  t.strictSame(opened.result.capabilities.tools, { listChanged: true })
})

t.test('2025-06-18, Listing Tools: the messages of the page', async t => {
  const client = await open(t, { tools: [getWeather, getWeatherData], pageSize: 1 })

  const first = await client.send(client.request('tools/list', undefined, 1))
  const { nextCursor } = first.result
  const second = await client.send(client.request('tools/list', { cursor: nextCursor }, 1))

  t.type(nextCursor, 'string')
  t.strictSame(first.messages, [{ jsonrpc: '2.0', id: 1, result: { tools: [GET_WEATHER], nextCursor } }])
  t.strictSame(second.messages, [{ jsonrpc: '2.0', id: 1, result: { tools: [GET_WEATHER_DATA] } }])
})

t.test('2025-06-18, Calling Tools: the messages of the page', async t => {
  const client = await open(t, { tools: [getWeather] })

  const call = client.request('tools/call', { name: 'get_weather', arguments: { location: 'New York' } }, 2)
  const { messages } = await client.send(call)

  // isError is false where it is left out.
  t.strictSame(messages, [{ jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text: WEATHER_TEXT }] } }])
})

t.test('2025-06-18, List Changed Notification: the message of the page', async t => {
  const client = await connected(t, { tools: [getWeather] }, { revision: REVISION })
  const news = await client.listen()

  client.app.toolrack.add(getWeatherData)

  t.strictSame(await news.next(0), { jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
})

t.test('2025-06-18, Tool: annotations are listed as the tool has them', async t => {
  const annotations = { title: 'Weather', readOnlyHint: true, openWorldHint: true }
  const client = await open(t, { tools: [{ ...getWeather, annotations }] })

  t.strictSame((await client.call('tools/list')).result, { tools: [{ ...GET_WEATHER, annotations }] })
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
    annotations: { audience: ['assistant'], priority: 0.9 },
  },
  'Embedded Resources': {
    type: 'resource',
    resource: {
      uri: 'file:///project/src/main.rs',
      title: 'Project Rust Main File',
      mimeType: 'text/x-rust',
      text: 'fn main() {\n    println!("Hello world!");\n}',
      annotations: { audience: ['user', 'assistant'], priority: 0.7, lastModified: '2025-05-03T14:30:00Z' },
    },
  },
}

for (const [heading, block] of Object.entries(BLOCKS)) {
  t.test(`2025-06-18, ${heading}: the example of the page`, async t => {
    const client = await open(t, { tools: [returning('one', block)] })

    t.strictSame((await client.callTool('one')).result, { content: [block] })
  })
}

t.test('2025-06-18, Tool Result: every content type may be annotated', async t => {
  const annotations = { audience: ['user'], priority: 1, lastModified: '2025-05-03T14:30:00Z' }
  const content = Object.values(BLOCKS).map(block => ({ ...block, annotations }))
  const client = await open(t, { tools: [returning('all', content)] })

  t.strictSame((await client.callTool('all')).result, { content })
})

t.test('2025-06-18, Embedded Resources: a server that has resources declares them', async t => {
  const main = defineResource({ uri: 'file:///project/src/main.rs', name: 'main.rs', handler: () => 'fn main() {}' })
  const embeds = returning('embeds', embeddedResource({ uri: 'file:///project/src/main.rs', text: 'fn main() {}' }))
  const client = await open(t, { tools: [embeds], resources: [main] })

  const { result } = await client.callTool('embeds')
  const { uri } = result.content[0].resource

  t.ok(client.opened.result.capabilities.resources)
  t.match((await client.call('resources/read', { uri })).result, { contents: [{ uri }] })
})

t.test('2025-06-18, Structured Content and Output Schema: the messages of the page', async t => {
  const client = await open(t, { tools: [getWeatherData] })

  const call = client.request('tools/call', { name: 'get_weather_data', arguments: { location: 'Oslo' } }, 5)
  const { messages } = await client.send(call)

  const content = [{ type: 'text', text: JSON.stringify(WEATHER_DATA) }]
  t.strictSame(messages, [{ jsonrpc: '2.0', id: 5, result: { content, structuredContent: WEATHER_DATA } }])
})

t.test('2025-06-18, Output Schema: a result that does not conform is not delivered', async t => {
  const { humidity: _, ...incomplete } = WEATHER_DATA
  const client = await open(t, {
    tools: [returning('bad', incomplete, { outputSchema: GET_WEATHER_DATA.outputSchema })],
  })

  t.match((await client.callTool('bad')).result, { isError: true, structuredContent: undefined })
})

t.test('2025-06-18, Error Handling: the protocol error of the page', async t => {
  const client = await open(t, { tools: [getWeather] })

  const { messages } = await client.send(client.request('tools/call', { name: 'invalid_tool_name' }, 3))

  const error = { code: -32602, message: 'Unknown tool: invalid_tool_name' }
  t.strictSame(messages, [{ jsonrpc: '2.0', id: 3, error }])
})

t.test('2025-06-18, Error Handling: invalid arguments are a protocol error', async t => {
  const client = await open(t, { tools: [getWeather] })

  t.match((await client.callTool('get_weather', {})).error, { code: -32602, message: /location is required/ })
})

t.test('2025-06-18, Error Handling: the tool execution error of the page', async t => {
  const said = 'Failed to fetch weather data: API rate limit exceeded'
  const client = await open(t, { tools: [failing(said)] })

  const { messages } = await client.send(client.request('tools/call', { name: 'failing' }, 4))

  t.strictSame(messages, [
    { jsonrpc: '2.0', id: 4, result: { content: [{ type: 'text', text: said }], isError: true } },
  ])
})

t.test('2025-06-18, Security Considerations: inputs are validated, calls limited, outputs sanitised', async t => {
  await assertSecurity(t, REVISION)
})
