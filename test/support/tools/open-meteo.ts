// An Open-Meteo of our own, over real sockets.
import type { Test } from 'tap'
import { type Answer, fixture, json, setting, upstream } from './shipped.ts'

export const found = json(fixture('geocoding-berlin.json'))
export const rain = json(fixture('forecast-berlin.json'))

export interface Service {
  geocoding?: Answer
  forecast?: Answer
}

/** Serves both APIs until the test ends. @returns what they are asked, in order */
export async function openMeteo(t: Test, { geocoding = found, forecast = rain }: Service = {}): Promise<URL[]> {
  const asked: URL[] = []
  const answer = (of: Answer): Answer => {
    return (request, response) => {
      asked.push(new URL(request.url!, 'http://upstream'))
      of(request, response)
    }
  }
  setting(t, 'GEOCODING_API_URL', await upstream(t, answer(geocoding)))
  setting(t, 'WEATHER_API_URL', await upstream(t, answer(forecast)))
  return asked
}
