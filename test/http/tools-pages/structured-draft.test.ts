// The page about tools of the draft that brought structured results, between 2025-03-26 and 2025-06-18.
// Its client is served as one of 2025-06-18.
import t from 'tap'
import { audio, embeddedResource, image, text } from '../../../src/index.ts'
import { connected } from '../../support/client/app-client.ts'
import {
  assertSecurity,
  clientOf,
  failing,
  GET_WEATHER_DATA,
  getWeather,
  getWeatherData,
  returning,
  WEATHER_DATA,
} from './examples.ts'

const REVISION = '2025-06-18'
const open = clientOf(REVISION)

t.test(
  'structured draft, Capabilities: a server that supports tools declares it, and that it tells of changes',
  async t => {
    const { opened } = await open(t, { tools: [getWeather] })

    t.strictSame(opened.result.capabilities.tools, { listChanged: true })
  },
)

t.test('structured draft, Listing Tools: the list comes in pages', async t => {
  const client = await open(t, { tools: [getWeather, getWeatherData], pageSize: 1 })

  const first = await client.call('tools/list')
  const second = await client.call('tools/list', { cursor: first.result.nextCursor })

  t.match(first.result, { tools: [{ name: 'get_weather' }], nextCursor: String })
  t.match(second.result, { tools: [{ name: 'get_weather_data' }], nextCursor: undefined })
})

t.test('structured draft, Tool: name, description, inputSchema, outputSchema and annotations', async t => {
  const annotations = { readOnlyHint: true, openWorldHint: true }
  const client = await open(t, { tools: [{ ...getWeatherData, annotations }] })

  const { result } = await client.call('tools/list')

  t.strictSame(result.tools, [{ ...GET_WEATHER_DATA, annotations }])
})

t.test('structured draft, List Changed Notification: is sent when the list changes', async t => {
  const client = await connected(t, { tools: [getWeather] }, { revision: REVISION })
  const news = await client.listen()

  client.app.toolrack.remove('get_weather')

  t.strictSame(await news.next(0), { jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
})

t.test('structured draft, Tool Result: several items of text, image, audio and embedded resource', async t => {
  const bytes = new Uint8Array([1, 2, 3])
  const content = [
    text('Tool result text'),
    image(bytes, 'image/png'),
    audio(bytes, 'audio/wav'),
    embeddedResource({ uri: 'resource://example', mimeType: 'text/plain', text: 'Resource content' }),
  ]
  const client = await open(t, { tools: [returning('mixed', content)] })

  const { result } = await client.callTool('mixed')

  t.strictSame(result, { content })
})

t.test(
  'structured draft, Output Schema: a structured result conforms to it, with its JSON as text beside it',
  async t => {
    const client = await open(t, { tools: [getWeatherData] })

    const { result } = await client.callTool('get_weather_data', { location: 'Berlin' })

    t.strictSame(result, {
      content: [{ type: 'text', text: JSON.stringify(WEATHER_DATA) }],
      structuredContent: WEATHER_DATA,
    })
  },
)

t.test('structured draft, Output Schema: a result that does not conform is not delivered', async t => {
  const client = await open(t, {
    tools: [returning('bad', { temperature: 'warm' }, { outputSchema: GET_WEATHER_DATA.outputSchema })],
  })

  const { result } = await client.callTool('bad')

  t.match(result, { isError: true, structuredContent: undefined })
  t.notMatch(JSON.stringify(result), 'warm')
})

t.test('structured draft, Output Schema: a tool may return unstructured content of its own beside it', async t => {
  const whole = { content: [text('Partly cloudy, 22.5 °C')], structuredContent: WEATHER_DATA }
  const client = await open(t, { tools: [returning('both', whole, { outputSchema: GET_WEATHER_DATA.outputSchema })] })

  t.strictSame((await client.callTool('both')).result, {
    ...whole,
    content: [...whole.content, text(JSON.stringify(WEATHER_DATA))],
  })
})

t.test('structured draft, Error Handling: unknown tools and invalid arguments are protocol errors', async t => {
  const client = await open(t, { tools: [getWeather] })

  const unknown = await client.callTool('invalid_tool_name')
  const invalid = await client.callTool('get_weather', { location: 7 })

  t.strictSame(unknown.error, { code: -32602, message: 'Unknown tool: invalid_tool_name' })
  t.match(invalid.error, { code: -32602, message: /location/ })
})

t.test('structured draft, Error Handling: what fails within a tool is a result with isError', async t => {
  const client = await open(t, { tools: [failing('Failed to fetch weather data: API rate limit exceeded')] })

  const { result } = await client.callTool('failing')

  t.strictSame(result, {
    content: [{ type: 'text', text: 'Failed to fetch weather data: API rate limit exceeded' }],
    isError: true,
  })
})

t.test('structured draft, Security Considerations: inputs are validated, calls limited, outputs sanitised', async t => {
  await assertSecurity(t, REVISION)
})
