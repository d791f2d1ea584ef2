import t, { type Test } from 'tap'
import { build, callTool } from '../helper.ts'
import { openMeteo } from './open-meteo.ts'
import { errorOf, fixture, json, SHIPPED, setting } from './shipped.ts'

async function askWeather(t: Test, location = 'Berlin') {
  return callTool(await build(t, SHIPPED), 'get_weather', { location })
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
