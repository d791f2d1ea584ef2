import { defineTool, Type } from 'toolrack'
import { conditionsOf } from './conditions.ts'
import { currentWeather, findPlace } from './open-meteo.ts'

const TIMEOUT_MS = 10_000

export default defineTool({
  name: 'get_weather',
  title: 'Current weather',
  description:
    'Tells the weather now at a place, by Open-Meteo. The answer names the place that was found: check that it is the ' +
    'one that was meant. Examples: { "location": "Berlin" }, { "location": "10001, United States" }.',
  inputSchema: Type.Object(
    {
      location: Type.String({
        minLength: 2,
        maxLength: 100,
        description: 'City name or zip code; a country or region may follow after a comma',
      }),
    },
    { additionalProperties: false },
  ),
  outputSchema: Type.Object({
    location: Type.Object({
      name: Type.String(),
      region: Type.Optional(Type.String()),
      country: Type.Optional(Type.String()),
      latitude: Type.Number({ description: 'Degrees north' }),
      longitude: Type.Number({ description: 'Degrees east' }),
    }),
    temperature: Type.Number({ description: '°C, 2 m above ground' }),
    feelsLike: Type.Number({ description: '°C' }),
    conditions: Type.String({ description: 'In words, such as "Partly cloudy"' }),
    humidity: Type.Number({ description: 'Relative, %' }),
    windSpeed: Type.Number({ description: 'km/h, 10 m above ground' }),
    observedAt: Type.String({ description: 'Local time at the place, ISO 8601 without offset' }),
    timezone: Type.String({ description: 'IANA name of the time zone of the place' }),
  }),
  annotations: { readOnlyHint: true, openWorldHint: true },
  async handler({ location }, ctx) {
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(TIMEOUT_MS)])
    const place = await findPlace(location.trim(), signal)
    const { code, ...weather } = await currentWeather(place, signal)
    return { location: place, conditions: conditionsOf(code), ...weather }
  },
})
