import t, { type Test } from 'tap'
import { callTool } from '../../../support/app.ts'
import { openMeteo } from '../../../support/tools/open-meteo.ts'
import { errorOf, fixture, json, ownContent, serve, setting } from '../../../support/tools/shipped.ts'

async function askWeather(t: Test, location = 'Berlin', more: object = {}) {
  return callTool(await serve(t, 'get_weather'), 'get_weather', { location, ...more })
}

t.test('get_weather: the weather at the place that was found', async t => {
  const asked = await openMeteo(t)

  const { structuredContent } = await askWeather(t, ' Berlin ')

  t.strictSame(structuredContent, {
    location: {
      name: 'Berlin',
      region: 'State of Berlin',
      country: 'Germany',
      latitude: 52.52437,
      longitude: 13.41053,
    },
    conditions: 'Light rain',
    temperature: 4.3,
    feelsLike: 0.6,
    humidity: 87,
    windSpeed: 14.8,
    observedAt: '2026-11-21T07:00',
    timezone: 'Europe/Berlin',
  })
  t.equal(asked[0]!.pathname, '/v1/search')
  t.match(Object.fromEntries(asked[0]!.searchParams), { name: 'Berlin', count: '1', language: 'en', format: 'json' })
  t.equal(asked[1]!.pathname, '/v1/forecast')
  t.match(Object.fromEntries(asked[1]!.searchParams), {
    latitude: '52.52437',
    longitude: '13.41053',
    current: 'temperature_2m,relative_humidity_2m,apparent_temperature,weather_code,wind_speed_10m',
    timezone: 'auto',
  })
})

t.test('get_weather: the text says it as a person would', async t => {
  await openMeteo(t)

  const said = ownContent(await askWeather(t))

  t.strictSame(said, [
    {
      type: 'text',
      text: [
        'Current weather in Berlin, State of Berlin, Germany:',
        'Temperature: 4.3°C',
        'Feels like: 0.6°C',
        'Conditions: Light rain',
        'Humidity: 87%',
        'Wind: 14.8 km/h',
        'Observed at: 2026-11-21T07:00 (Europe/Berlin)',
      ].join('\n'),
    },
  ])
})

t.test('get_weather: in imperial units degrees are Fahrenheit and the wind is in mph', async t => {
  const asked = await openMeteo(t)

  const { content } = await askWeather(t, 'Berlin', { units: 'imperial' })

  t.match(Object.fromEntries(asked[1]!.searchParams), { temperature_unit: 'fahrenheit', wind_speed_unit: 'mph' })
  t.match(content[0].text, /\nTemperature: 4\.3°F\n.*\nWind: 14\.8 mph\n/s)
})

t.test('get_weather: metric units are what is asked for where nothing is said, and there are no others', async t => {
  const asked = await openMeteo(t)

  await askWeather(t)
  const refused = await askWeather(t, 'Berlin', { units: 'kelvin' })

  t.notOk(asked[1]!.searchParams.has('temperature_unit'))
  t.match(errorOf(refused), /units must be/)
})

t.test('get_weather: a location cannot add parameters of its own', async t => {
  const asked = await openMeteo(t)

  await askWeather(t, 'Berlin&count=100#')

  t.equal(asked[0]!.searchParams.get('name'), 'Berlin&count=100#')
  t.equal(asked[0]!.searchParams.get('count'), '1')
})

t.test('get_weather: the path and the key of a setting stay in the URL', async t => {
  const asked = await openMeteo(t)
  setting(t, 'WEATHER_API_URL', `${process.env['WEATHER_API_URL']}/proxy/?apikey=k1`)

  await askWeather(t)

  t.equal(asked[1]!.pathname, '/proxy/v1/forecast')
  t.equal(asked[1]!.searchParams.get('apikey'), 'k1')
})

t.test('get_weather: a code that the WMO does not know is told as it is', async t => {
  const forecast = json(fixture('forecast-berlin.json').replace('"weather_code": 61', '"weather_code": 42'))
  await openMeteo(t, { forecast })

  const { structuredContent } = await askWeather(t)

  t.equal(structuredContent.conditions, 'Unknown (WMO code 42)')
})

t.test('get_weather: a place without a country is served without one', async t => {
  await openMeteo(t, { geocoding: json('{"results":[{"name":"Atlantic Ocean","latitude":10,"longitude":-25}]}') })

  const { structuredContent } = await askWeather(t)

  t.strictSame(structuredContent.location, { name: 'Atlantic Ocean', latitude: 10, longitude: -25 })
})

t.test('get_weather: a place that is not found says what to try', async t => {
  const asked = await openMeteo(t, { geocoding: json(fixture('geocoding-none.json')) })

  const result = await askWeather(t, 'Nowhereville')

  t.match(errorOf(result), /No place was found for "Nowhereville".*nearest city.*postal code/)
  t.equal(asked.length, 1)
})
