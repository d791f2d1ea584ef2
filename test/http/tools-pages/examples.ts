// What the pages about tools define more than once: the weather tools with their schemas, and how a
// security test goes.
import type { Test } from 'tap'
import { defineTool, type ServerOptions, ToolError } from '../../../src/index.ts'
import { session } from '../../support/client/app-client.ts'

const location = { type: 'string', description: 'City name or zip code' }

export const WEATHER_TEXT = 'Current weather in New York:\nTemperature: 72°F\nConditions: Partly cloudy'
export const WEATHER_DATA = { temperature: 22.5, conditions: 'Partly cloudy', humidity: 65 }

/** As it is listed. */
export const GET_WEATHER = {
  name: 'get_weather',
  title: 'Weather Information Provider',
  description: 'Get current weather information for a location',
  inputSchema: { type: 'object', properties: { location }, required: ['location'] },
}

export const GET_WEATHER_DATA = {
  name: 'get_weather_data',
  title: 'Weather Data Retriever',
  description: 'Get current weather data for a location',
  inputSchema: { type: 'object', properties: { location }, required: ['location'] },
  outputSchema: {
    type: 'object',
    properties: {
      temperature: { type: 'number', description: 'Temperature in celsius' },
      conditions: { type: 'string', description: 'Weather conditions description' },
      humidity: { type: 'number', description: 'Humidity percentage' },
    },
    required: ['temperature', 'conditions', 'humidity'],
  },
}

export const getWeather = defineTool({ ...GET_WEATHER, handler: () => WEATHER_TEXT })
export const getWeatherData = defineTool({ ...GET_WEATHER_DATA, handler: () => WEATHER_DATA })

/** A tool that hands over what it is given. */
export const returning = (name: string, returned: unknown, more: object = {}) =>
  defineTool({ name, ...more, handler: () => returned })

export const failing = (text: string) =>
  defineTool({
    name: 'failing',
    handler() {
      throw new ToolError(text)
    },
  })

/** A session of a client of the revision that a document is of. */
export const clientOf = (revision: string) => (t: Test, options: ServerOptions) =>
  session(t, options, { revision, capabilities: {} })

/** "Servers MUST validate all tool inputs, rate limit tool invocations, sanitize tool outputs." */
export async function assertSecurity(t: Test, revision: string): Promise<void> {
  const seen: unknown[] = []
  const strict = defineTool({ ...GET_WEATHER, handler: args => void seen.push(args) })
  const limited = returning('limited', 'ok', { rateLimit: { max: 1, timeWindow: '1 minute' } })
  const dirty = returning('dirty', 'a\u001b[31mb\u0007c\u202ed')
  const client = await clientOf(revision)(t, { tools: [strict, limited, dirty] })

  for (const args of [{}, { location: 1 }, { location: null }, { location: ['x'] }]) {
    const { result, error } = await client.callTool('get_weather', args)
    t.ok(error?.code === -32602 || result?.isError === true, 'inputs are validated')
  }
  const first = await client.callTool('limited')
  const second = await client.callTool('limited')
  const clean = await client.callTool('dirty')

  t.strictSame(seen, [])
  t.notMatch(first.text, 'isError')
  t.match(second.text, /limited.*retry/i, 'calls are limited')
  t.match(clean.text, '"abcd"', 'outputs are sanitised')
}
