import t from 'tap'
import { call, callTool } from '../../../support/app.ts'
import { openMeteo } from '../../../support/tools/open-meteo.ts'
import { errorOf, fixture, json, serve } from '../../../support/tools/shipped.ts'

t.test('get_weather_data: the three numbers of the documents, and their JSON as text', async t => {
  const asked = await openMeteo(t)

  const result = await callTool(await serve(t, 'get_weather_data'), 'get_weather_data', {
    location: 'Berlin',
  })

  const data = { temperature: 4.3, conditions: 'Light rain', humidity: 87 }
  t.strictSame(result.structuredContent, data)
  t.strictSame(JSON.parse(result.content[0].text), data)
  t.notOk(asked[1]!.searchParams.has('temperature_unit'), 'in celsius')
})

t.test('get_weather_data: it is listed as the documents show it', async t => {
  const { result } = await call(await serve(t, 'get_weather_data'), 'tools/list')

  t.match(
    result.tools.find(({ name }: { name: string }) => name === 'get_weather_data'),
    {
      title: 'Weather Data Retriever',
      description: /^Get current weather data for a location/,
      inputSchema: { properties: { location: { type: 'string' } }, required: ['location'] },
      outputSchema: {
        type: 'object',
        properties: {
          temperature: { type: 'number', description: 'Temperature in celsius' },
          conditions: { type: 'string', description: 'Weather conditions description' },
          humidity: { type: 'number', description: 'Humidity percentage' },
        },
        required: ['temperature', 'conditions', 'humidity'],
      },
    },
  )
})

t.test('get_weather_data: what fails upstream is an error that a model can act on', async t => {
  await openMeteo(t, { geocoding: json(fixture('geocoding-none.json')) })

  const result = await callTool(await serve(t, 'get_weather_data'), 'get_weather_data', {
    location: 'Nowhereville',
  })

  t.match(errorOf(result), /No place was found for "Nowhereville"/)
})
