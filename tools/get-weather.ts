import { defineTool, Type, text } from 'toolrack'
import { weatherAt } from './_weather/open-meteo.ts'
import { LOCATION } from './_weather/place.ts'
import { UNITS, type Units } from './_weather/units.ts'

export default defineTool({
  name: 'get_weather',
  title: 'Weather Information Provider',
  description:
    'Get current weather information for a location, by Open-Meteo. The answer names the place that was found: check ' +
    'that it is the one that was meant. Examples: { "location": "New York" }, ' +
    '{ "location": "10001, United States", "units": "imperial" }.',
  inputSchema: Type.Object(
    {
      location: LOCATION,
      units: Type.Optional(
        Type.Unsafe<Units>({
          type: 'string',
          enum: Object.keys(UNITS),
          default: 'metric',
          description: '°C and km/h, or °F and mph; default metric',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  text: 'both',
  outputSchema: Type.Object({
    location: Type.Object({
      name: Type.String(),
      region: Type.Optional(Type.String()),
      country: Type.Optional(Type.String()),
      latitude: Type.Number({ description: 'Degrees north' }),
      longitude: Type.Number({ description: 'Degrees east' }),
    }),
    temperature: Type.Number({ description: '°C, or °F in imperial units; 2 m above ground' }),
    feelsLike: Type.Number({ description: '°C, or °F in imperial units' }),
    conditions: Type.String({ description: 'In words, such as "Partly cloudy"' }),
    humidity: Type.Number({ description: 'Relative, %' }),
    windSpeed: Type.Number({ description: 'km/h, or mph in imperial units; 10 m above ground' }),
    observedAt: Type.String({ description: 'Local time at the place, ISO 8601 without offset' }),
    timezone: Type.String({ description: 'IANA name of the time zone of the place' }),
  }),
  annotations: { readOnlyHint: true, openWorldHint: true },
  settings: ['WEATHER_API_URL', 'GEOCODING_API_URL'],
  async handler({ location, units = 'metric' }, { signal }) {
    const weather = await weatherAt(location, units, signal)
    const { degree, speed } = UNITS[units]
    const { name, region, country } = weather.location
    const lines = [
      `Current weather in ${[name, region, country].filter(part => part !== undefined).join(', ')}:`,
      `Temperature: ${weather.temperature}${degree}`,
      `Feels like: ${weather.feelsLike}${degree}`,
      `Conditions: ${weather.conditions}`,
      `Humidity: ${weather.humidity}%`,
      `Wind: ${weather.windSpeed} ${speed}`,
      `Observed at: ${weather.observedAt} (${weather.timezone})`,
    ]
    return { content: [text(lines.join('\n'))], structuredContent: weather }
  },
})
