// The requests of the weather tools to Open-Meteo, and the parsing of its answers.
import { ToolError } from 'toolrack'
import { conditionsOf } from './conditions.ts'
import { UNITS, type Units } from './units.ts'
import { type Api, apiOf, ask, malformed } from './upstream.ts'

/** Timeout of both requests together. */
const TIMEOUT_MS = 10_000

const GEOCODING = apiOf('GEOCODING_API_URL', 'https://geocoding-api.open-meteo.com', '/v1/search')
const FORECAST = apiOf('WEATHER_API_URL', 'https://api.open-meteo.com', '/v1/forecast')

export interface Place {
  name: string
  region?: string
  country?: string
  latitude: number
  longitude: number
}

/** @throws ToolError if no place has that name, or the service fails */
export async function weatherAt(location: string, units: Units, caller: AbortSignal) {
  const signal = AbortSignal.any([caller, AbortSignal.timeout(TIMEOUT_MS)])
  const place = await findPlace(location.trim(), signal)
  return { location: place, ...(await currentWeather(place, units, signal)) }
}

async function findPlace(name: string, signal: AbortSignal): Promise<Place> {
  const { results } = await ask(GEOCODING, { name, count: '1', language: 'en', format: 'json' }, signal)
  const found: unknown = Array.isArray(results) ? results[0] : undefined
  if (found === undefined) throw unknownPlace(name)
  const place = reader(GEOCODING, found)
  return {
    name: place.text('name'),
    region: place.optionalText('admin1'),
    country: place.optionalText('country'),
    latitude: place.number('latitude'),
    longitude: place.number('longitude'),
  }
}

async function currentWeather({ latitude, longitude }: Place, units: Units, signal: AbortSignal) {
  const query = {
    latitude: String(latitude),
    longitude: String(longitude),
    current: 'temperature_2m,relative_humidity_2m,apparent_temperature,weather_code,wind_speed_10m',
    timezone: 'auto',
    ...UNITS[units].query,
  }
  const answer = await ask(FORECAST, query, signal)
  const current = reader(FORECAST, answer['current'])
  return {
    temperature: current.number('temperature_2m'),
    feelsLike: current.number('apparent_temperature'),
    conditions: conditionsOf(current.number('weather_code')),
    humidity: current.number('relative_humidity_2m'),
    windSpeed: current.number('wind_speed_10m'),
    observedAt: current.text('time'),
    timezone: reader(FORECAST, answer).text('timezone'),
  }
}

function unknownPlace(name: string): ToolError {
  return new ToolError(
    `No place was found for ${JSON.stringify(name)}. Call again with the plain name of the nearest city, spelled in ` +
      'English or in the language of the place, or with a postal code.',
  )
}

/** Reads members of an upstream answer; a missing or mistyped member is an error that names it. */
function reader(api: Api, value: unknown) {
  const members = new Map(Object.entries(value ?? {}))
  return {
    number(key: string): number {
      const member = members.get(key)
      if (typeof member === 'number' && Number.isFinite(member)) return member
      throw malformed(api, `"${key}" is missing`)
    },
    text(key: string): string {
      const member = members.get(key)
      if (typeof member === 'string') return member
      throw malformed(api, `"${key}" is missing`)
    },
    optionalText(key: string): string | undefined {
      const member = members.get(key)
      return typeof member === 'string' ? member : undefined
    },
  }
}
