// docs/guides/rest-api.md: its tool finds orders at an API, its test passes, and its commands do what the page says.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { until } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'
import { guideProject, readPage } from '../../support/guide.ts'

const page = readPage('docs/guides/rest-api.md')
const FILES = { 'tools/find-orders.ts': 'find-orders.ts', 'tools/find-orders.test.ts': 'find-orders-test.ts' }

interface Answer {
  readonly status?: number
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: object
}

/** An API that gives these answers, one after the other, the last one again and again. */
async function api(t: Test, answers: Answer[]): Promise<string> {
  const server = http.createServer((_request, response) => {
    const { status = 200, headers = {}, body = {} } = answers.length > 1 ? answers.shift()! : answers[0]!
    response.writeHead(status, headers).end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const start = page.take('sh', 'npx toolrack dev')
const call = page.take('sh', 'npx toolrack call find_orders')
const FOUND = { body: { orders: [{ id: 7, state: 'open', total: 12.5, note: 'x' }], next: null } }

t.test('the call prints the orders of the API', async t => {
  const project = await guideProject(t, 'rest-api', FILES)
  await project.start(start, { SHOP_API_URL: await api(t, [FOUND]) })

  const { stdout, code } = await project.run(call)

  t.equal(code, 0)
  t.strictSame(JSON.parse(stdout), { orders: [{ id: 7, state: 'open', total: 12.5 }] })
})

t.test('a short Retry-After is waited for, a long one and other errors are told', async t => {
  const project = await guideProject(t, 'rest-api', FILES)
  const busy = (value: string) => ({ status: 429, headers: { 'retry-after': value } })
  const SHOP_API_URL = await api(t, [
    busy('0'),
    FOUND,
    busy('600'),
    busy(new Date(Date.now() + 3_600_000).toUTCString()),
    { status: 401 },
    { status: 404 },
    { status: 500 },
  ])
  await project.start(start, { SHOP_API_URL })

  t.match((await project.run(call)).stdout, '"id":7')
  const texts: string[] = []
  for (let count = 0; count < 5; count++) {
    const { stdout, stderr, code } = await project.run(call)
    t.equal(code, 1)
    texts.push(stdout + stderr)
  }
  t.match(texts, [
    'Call again in 600 seconds.',
    /Call again in 3\d{3} seconds\./,
    'an operator has to renew it',
    'Call again without cursor.',
    'Try again later.',
  ])
})

t.test('without an API the call says so, and the log says why', async t => {
  const project = await guideProject(t, 'rest-api', FILES)
  const server = await project.start(start, { SHOP_API_URL: `http://127.0.0.1:${await freePort()}/` })

  const { stdout, stderr } = await project.run(call)

  t.match(stdout + stderr, 'The shop cannot be reached.')
  await until(() => server.log.includes('ECONNREFUSED'), 'the log has the cause')
})

t.test('the test of the page passes', async t => {
  const project = await guideProject(t, 'rest-api', FILES)

  const { code, stdout } = await project.run(page.take('sh', 'node --test'))

  t.equal(code, 0, stdout)
  t.match(stdout, /pass 2$/m)
})

t.test('a key in a file counts, and without a key the tool is said to lack it', async t => {
  const project = await guideProject(t, 'rest-api', FILES)
  const check = page.take('sh', 'npx toolrack check')

  t.match(await project.run(check), { code: 0, stdout: /find_orders/ })
  const { stdout, stderr } = await project.run('npx toolrack check')
  t.match(stdout + stderr, /SHOP_API_KEY/)
})

t.test('each block of the page was run', async t => {
  t.strictSame(page.left(), [])
})
