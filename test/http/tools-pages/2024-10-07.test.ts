// The page about tools of the first draft, 2024-10-07: its messages, with a client of it.
import t from 'tap'
import { connected } from '../../support/client/app-client.ts'
import { assertSecurity, clientOf, failing, returning } from './examples.ts'

const REVISION = '2024-10-07'
const open = clientOf(REVISION)

const GET_WEATHER = {
  name: 'get_weather',
  description: 'Get current weather information for a specific location',
  inputSchema: {
    type: 'object',
    properties: {
      location: { type: 'string', description: 'City name or zip code' },
      units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
    },
    required: ['location'],
  },
}
const QUERY_DATABASE = {
  name: 'query_database',
  description: 'Execute a SQL query on the database',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'SQL query to execute' },
      database: { type: 'string', enum: ['users', 'products', 'orders'], default: 'users' },
    },
    required: ['query'],
  },
}
const WEATHER = { temperature: 72, humidity: 65, description: 'Partly cloudy' }
const getWeather = { ...GET_WEATHER, handler: () => WEATHER }
const queryDatabase = { ...QUERY_DATABASE, handler: () => [] }

t.test('2024-10-07, Capabilities: a server with tools says so in initialize, and that it tells of changes', async t => {
  const { opened } = await open(t, { tools: [getWeather] })

  t.equal(opened.result.protocolVersion, REVISION)
  t.strictSame(opened.result.capabilities.tools, { listChanged: true })
})

t.test('2024-10-07, Capabilities: a server without tools does not, and knows no tool calls', async t => {
  const client = await open(t, {})

  t.notOk('tools' in client.opened.result.capabilities)
  t.match((await client.callTool('get_weather')).error, { code: -32601 })
})

t.test('2024-10-07, Listing Tools: the messages of the page', async t => {
  const client = await open(t, { tools: [queryDatabase, getWeather] })

  const { messages } = await client.send(client.request('tools/list', undefined, 1))

  t.strictSame(messages, [{ jsonrpc: '2.0', id: 1, result: { tools: [GET_WEATHER, QUERY_DATABASE] } }])
})

t.test('2024-10-07, Tool Specifications: nothing that came later is listed', async t => {
  const newer = {
    title: 'Weather',
    annotations: { readOnlyHint: true },
    outputSchema: { type: 'object' },
    _meta: { a: 1 },
  }
  const client = await open(t, { tools: [{ ...getWeather, ...newer }] })

  t.strictSame((await client.call('tools/list')).result, { tools: [GET_WEATHER] })
})

t.test('2024-10-07, Calling a Tool: the messages of the page', async t => {
  const args = { location: 'New York', units: 'imperial' }

  for (const outputSchema of [undefined, { type: 'object' }]) {
    const client = await open(t, { tools: [{ ...getWeather, ...(outputSchema && { outputSchema }) }] })
    const { messages } = await client.send(client.request('tools/call', { name: 'get_weather', arguments: args }, 2))

    t.strictSame(messages, [{ jsonrpc: '2.0', id: 2, result: { toolResult: WEATHER } }])
  }
})

t.test('2024-10-07, Calling a Tool: toolResult is any JSON value', async t => {
  for (const value of [WEATHER, [1, 'a'], 'a text', '', null, 7, true]) {
    const client = await open(t, { tools: [returning('one', value, { outputSchema: {} })] })

    t.strictSame((await client.callTool('one')).result, { toolResult: value })
  }
})

t.test('2024-10-07, Calling a Tool: arguments may be left out', async t => {
  const client = await open(t, { tools: [returning('one', 'ok')] })

  t.strictSame((await client.call('tools/call', { name: 'one' })).result, { toolResult: 'ok' })
})

t.test('2024-10-07, Tool List Changed Notification: the message of the page', async t => {
  const client = await connected(t, { tools: [getWeather] }, { revision: REVISION })
  const news = await client.listen()

  client.app.toolrack.add(queryDatabase)

  t.strictSame(await news.next(0), { jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
})

t.test('2024-10-07, Error Handling: an unknown tool is a protocol error with its reason', async t => {
  const client = await open(t, { tools: [getWeather] })

  const { messages } = await client.send(client.request('tools/call', { name: 'invalid_tool_name' }, 4))

  const reason = 'Unknown tool: invalid_tool_name'
  t.strictSame(messages, [{ jsonrpc: '2.0', id: 4, error: { code: -32602, message: reason, data: { reason } } }])
})

t.test('2024-10-07, Error Handling: invalid arguments are a protocol error with its reason', async t => {
  const client = await open(t, { tools: [getWeather] })

  const call = client.request('tools/call', { name: 'get_weather', arguments: { units: 'metric' } }, 3)
  const { messages } = await client.send(call)

  t.strictSame(messages, [
    {
      jsonrpc: '2.0',
      id: 3,
      error: {
        code: -32602,
        message: 'Invalid arguments: location is required',
        data: { reason: 'Invalid arguments for get_weather: location is required' },
      },
    },
  ])
})

t.test('2024-10-07, Error Handling: an error that a tool tells is within a successful result', async t => {
  const told = { error: "No search results found for query: 'widgets manufactured in 1972'", status: 'empty_results' }
  const client = await open(t, { tools: [returning('search', told)] })

  const { messages } = await client.send(client.request('tools/call', { name: 'search' }, 5))

  t.strictSame(messages, [{ jsonrpc: '2.0', id: 5, result: { toolResult: told } }])
})

t.test('2024-10-07, Error Handling: an error that a tool throws is one too', async t => {
  const client = await open(t, { tools: [failing('The API is down')] })

  t.strictSame((await client.callTool('failing')).result, { toolResult: { error: 'The API is down' } })
})

t.test('2024-10-07, Security Considerations: inputs are validated, calls limited, outputs sanitised', async t => {
  await assertSecurity(t, REVISION)
})
