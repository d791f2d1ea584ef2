import { once } from 'node:events'
import http from 'node:http'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { build, callTool, listening, request } from '../../../support/app.ts'
import { found, openMeteo, type Service } from '../../../support/tools/open-meteo.ts'
import {
  type Answer,
  errorOf,
  fixture,
  json,
  only,
  SHIPPED,
  serve,
  setting,
  upstream,
} from '../../../support/tools/shipped.ts'

const RETRY = /Try again in a minute/

async function askWeather(t: Test) {
  return callTool(await serve(t, 'get_weather'), 'get_weather', { location: 'Berlin' })
}

const neverAnswers: Answer = () => {}
const neverEnds: Answer = (_request, response) => {
  response.writeHead(200).write('{"results":')
}

const FAILURES: [string, Service, RegExp][] = [
  ['429', { geocoding: json('{}', 429) }, /429\..*wait a minute, then try once/],
  [
    '429 by the day',
    { forecast: json('{"error":true,"reason":"Daily API request limit exceeded. Please try again tomorrow."}', 429) },
    /429, saying "Daily .* tomorrow\.".* wait as long as it says, then try once/,
  ],
  [
    '429 by the minute',
    { geocoding: json(fixture('open-meteo-429.json'), 429) },
    /in one minute.* wait as long as it says/,
  ],
  ['500', { forecast: json('oops', 500) }, /HTTP 500\. It is failing: try again in a few minutes/],
  ['400', { forecast: json(fixture('open-meteo-400.json'), 400) }, /HTTP 400, saying "Latitude must be in range/],
  ['403', { forecast: json('{}', 403) }, /HTTP 403\. The operator should check WEATHER_API_URL/],
  ['200 with error: true', { forecast: json('{"error":true,"reason":"no data"}') }, /HTTP 200, saying "no data"/],
  ['HTML', { geocoding: json('<html>hello</html>') }, /not a JSON object.*GEOCODING_API_URL/],
  ['an array', { forecast: json('[1]') }, /not a JSON object.*WEATHER_API_URL/],
  ['a place without coordinates', { geocoding: json('{"results":[{"name":"x"}]}') }, /"latitude" is missing/],
  ['a place that is null', { geocoding: json('{"results":[null]}') }, /"name" is missing/],
  ['no current weather', { forecast: json('{"timezone":"GMT"}') }, /"temperature_2m" is missing/],
  ['a temperature of null', { forecast: json('{"current":{"temperature_2m":null}}') }, /"temperature_2m" is missing/],
  ['a huge answer', { geocoding: json(`{"x":"${'y'.repeat(2 ** 20)}"}`) }, /larger than 524288 bytes/],
]

for (const [what, answers, expected] of FAILURES) {
  t.test(`get_weather: an upstream that answers with ${what} is an error that tells what to do`, async t => {
    await openMeteo(t, answers)

    const result = await askWeather(t)

    t.match(errorOf(result), expected)
  })
}

t.test('get_weather: a small answer that unpacks to a huge one is cut', async t => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, ' '))
  await openMeteo(t, {
    geocoding: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  })

  const result = await askWeather(t)

  t.match(errorOf(result), /larger than 524288 bytes/)
})

t.test('get_weather: an endless answer is cut, and its connection closed', async t => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  await openMeteo(t, {
    geocoding: (_request, response) => {
      response.writeHead(200).on('close', resolve)
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) {}
        if (!response.destroyed) response.once('drain', pour)
      }
      pour()
    },
  })

  const result = await askWeather(t)

  t.match(errorOf(result), /larger than 524288 bytes/)
  await closed
})

t.test('get_weather: an answer that breaks off is an error to retry', async t => {
  await openMeteo(t, {
    geocoding: (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('{"results":[', () => response.destroy())
    },
  })

  const result = await askWeather(t)

  t.match(errorOf(result), /broke off in the middle of its answer/)
  t.match(errorOf(result), RETRY)
})

t.test('get_weather: an upstream that refuses connections is an error to retry', async t => {
  await openMeteo(t)
  const gone = http.createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port } = gone.address() as { port: number }
  gone.close()
  await once(gone, 'close')
  setting(t, 'WEATHER_API_URL', `http://127.0.0.1:${port}`)

  const result = await askWeather(t)

  t.match(errorOf(result), /cannot be reached/)
  t.match(errorOf(result), RETRY)
  t.notMatch(errorOf(result), String(port))
})

t.test('get_weather: a redirect is not followed', async t => {
  let hits = 0
  const elsewhere = await upstream(t, (request, response) => {
    hits++
    found(request, response)
  })
  await openMeteo(t, {
    geocoding: (_request, response) => response.writeHead(302, { location: `${elsewhere}/v1/search` }).end(),
  })

  const result = await askWeather(t)

  t.match(errorOf(result), /HTTP 302\. Redirects are not followed: the operator should check GEOCODING_API_URL/)
  t.equal(hits, 0)
})

for (const url of ['not a URL', 'file:///etc/passwd', 'http://user:hunter2@127.0.0.1']) {
  t.test(`get_weather: ${url} as a setting keeps the tools from being served, and the log names it only`, async t => {
    setting(t, 'GEOCODING_API_URL', url)

    const app = await build(t, SHIPPED)

    for (const name of ['get_weather', 'get_weather_data'])
      await t.rejects(callTool(app, name, { location: 'Berlin' }), /Unknown tool/)
    t.match(app.logs.text, 'GEOCODING_API_URL must be a plain http(s) URL')
    t.notMatch(app.logs.text, 'hunter2')
  })
}

for (const [what, answer] of Object.entries({ 'does not answer': neverAnswers, 'never ends': neverEnds })) {
  t.test(`get_weather: an upstream that ${what} is given up after 10 s`, async t => {
    await openMeteo(t, { forecast: answer })
    const { timeout } = AbortSignal
    const askedMs: number[] = []
    t.intercept(AbortSignal, 'timeout', {
      value: (ms: number) => {
        askedMs.push(ms)
        return timeout.call(AbortSignal, 200)
      },
    })

    const result = await askWeather(t)

    t.match(errorOf(result), /did not answer in time/)
    t.match(errorOf(result), RETRY)
    t.strictSame(askedMs, [10_000])
  })
}

/** An upstream that never answers; when it was asked, and when its caller hung up. */
function hanging() {
  const asked = Promise.withResolvers<void>()
  const hungUp = Promise.withResolvers<void>()
  const answer: Answer = (request, response) => {
    response.on('close', hungUp.resolve)
    asked.resolve()
    neverAnswers(request, response)
  }
  return { answer, asked: asked.promise, hungUp: hungUp.promise }
}

t.test('get_weather: the deadline of the call ends the upstream request', async t => {
  const { answer, asked, hungUp } = hanging()
  let isAsked = false
  asked.then(() => (isAsked = true))
  await openMeteo(t, { geocoding: answer })
  const app = await build(t, { ...(await only('get_weather')), limits: { toolTimeout: 100 } })

  // Over before anything was asked, where the machine stood still.
  for (let tries = 1; tries <= 10 && !isAsked; tries++) {
    const result = await callTool(app, 'get_weather', { location: 'Berlin' })
    t.equal(errorOf(result), 'get_weather timed out after 100 ms')
  }

  await hungUp
})

t.test('get_weather: a client that leaves ends the upstream request', async t => {
  const { answer, asked, hungUp } = hanging()
  await openMeteo(t, { forecast: answer })
  const { url } = await listening(t, await only('get_weather'))
  const { message, headers } = request('tools/call', { name: 'get_weather', arguments: { location: 'Berlin' } })
  const { host: _, ...rest } = headers
  const sent = http.request(url, { method: 'POST', headers: rest }).on('error', () => {})
  sent.end(JSON.stringify(message))
  await asked

  sent.destroy()

  await hungUp
  t.pass('the upstream saw it')
})
