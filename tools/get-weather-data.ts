import { defineTool, Type } from 'toolrack'
import { weatherAt } from './_weather/open-meteo.ts'
import { LOCATION } from './_weather/place.ts'

export default defineTool({
  name: 'get_weather_data',
  title: 'Weather Data Retriever',
  description:
    'Get current weather data for a location, as plain numbers for a program; get_weather says more. ' +
    'Example: { "location": "Berlin" } gives { "temperature": 22.5, "conditions": "Partly cloudy", "humidity": 65 }.',
  inputSchema: Type.Object({ location: LOCATION }, { additionalProperties: false }),
  outputSchema: Type.Object({
    temperature: Type.Number({ description: 'Temperature in celsius' }),
    conditions: Type.String({ description: 'Weather conditions description' }),
    humidity: Type.Number({ description: 'Humidity percentage' }),
  }),
  annotations: { readOnlyHint: true, openWorldHint: true },
  settings: ['WEATHER_API_URL', 'GEOCODING_API_URL'],
  async handler({ location }, { signal }) {
    const { temperature, conditions, humidity } = await weatherAt(location, 'metric', signal)
    return { temperature, conditions, humidity }
  },
})
