// docs/guides/troubleshooting.md: each symptom that is the server's is brought about; it looks as the page says, and the fix of
// the page mends it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { nowS, signed } from '../../support/auth/tokens.ts'
import { until } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'
import { guideProject, type Project, type Ran, readPage } from '../../support/guide.ts'

const PAGE = 'docs/guides/troubleshooting.md'
const text = readFileSync(PAGE, 'utf8').replaceAll(/\s+/g, ' ')
const page = readPage(PAGE)
const first = page.take('sh', 'npx toolrack check')
const otherPort = page.take('sh', '--port 3001')
const allowOrigin = page.take('sh', 'ALLOWED_ORIGINS=')
const fromPage = page.take('sh', "-H 'Origin: https://app.example'")
const doctorWithToken = page.take('sh', 'export TOOLRACK_TOKEN')

const TOOLS = `export default [
  { name: 'hello', description: 'Says hello.', annotations: { readOnlyHint: true }, handler: () => 'Hello!' },
  { name: 'set_price', description: 'Sets a price.', scopes: ['prices:write'], handler: () => 'set' },
  { name: 'needs', description: 'Needs a key.', requires: ['A_KEY'], handler: () => 'x' },
  { name: 'once', description: 'Once.', rateLimit: { max: 1, timeWindow: '1 minute' }, handler: () => 'x' },
  { name: 'late', description: 'Waits.', timeout: 200, handler: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))) },
  { name: 'large', description: 'Says much.', handler: () => 'x'.repeat(5_000_000) },
  { name: 'rows', description: 'Has a date.', handler: () => ({ when: new Date() }) },
  { name: 'unreachable', description: 'Fetches.', handler: async () => void (await fetch('http://127.0.0.1:1/x')) },
  { name: 'wrong', description: 'Is wrong.', handler: () => ({ n: 'x' }),
    outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
]
`
const START = 'npx toolrack start'

const project = (t: Test, tools = TOOLS) => guideProject(t, 'troubleshooting', { 'tools/all.js': tools })
const said = ({ stdout, stderr }: Ran) => stdout + stderr
const curl = (at: Project, path: string, options = '') => at.run(`curl -s http://127.0.0.1:3000${path} ${options}`)

/** What was printed has this, and so has the page. */
function shows(t: Test, printed: string, words: string): void {
  t.match(printed, words)
  t.ok(text.includes(words), `the page has: ${words}`)
}

t.test('the first three commands', async t => {
  const at = await project(t)
  await at.start(START)

  const { code, stdout } = await at.run(first)

  t.equal(code, 0)
  t.match(stdout, /hello[\s\S]+hello[\s\S]+no problems/)
})

t.test('a port that is taken, and another one', async t => {
  const at = await project(t)
  await at.start(START)

  const again = await at.run(START)
  shows(t, said(again).replace(String(at.port), '3000'), 'something listens on port 3000 of 127.0.0.1 already')
  t.equal(again.code, 1)

  const port = await freePort()
  at.follow(otherPort.replace('3001', String(port)))
  await until(async () => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.ok, 'it serves there')
})

t.test('no tools, a file that does not load, and a tool that lacks its variable', async t => {
  const none = await guideProject(t, 'troubleshooting', {})
  const server = none.follow(START)
  await until(() => server.log.includes('no tools'), 'the log says so')

  const broken = await project(t, `export default { name: 'x', desciption: 'y', handler: () => 'x' }\n`)
  const checked = await broken.run('npx toolrack check')
  t.equal(checked.code, 1)
  t.match(said(checked), /tools\/all\.js:1:\d+ .*did you mean description\?/)

  const at = await project(t)
  shows(t, said(await at.run('npx toolrack check')), 'not served: it needs A_KEY')
})

t.test('a changed file is read again, by dev also in production', async t => {
  const at = await project(t)
  await at.start('npx toolrack dev', { NODE_ENV: 'production' })

  writeFileSync(join(at.folder, 'tools/all.js'), TOOLS.replace('hello', 'good_day'))

  await until(async () => (await at.run('npx toolrack list')).stdout.includes('good_day'), 'the list has it')
  t.pass()
})

t.test('a server that is not there, one without TLS, and a tool that reaches nothing', async t => {
  const at = await project(t)
  shows(t, said(await at.run('npx toolrack list')), 'nothing listens there')

  const server = await at.start(START)
  shows(t, said(await at.run('npx toolrack list https://127.0.0.1:3000/mcp')), 'it does not speak TLS')
  await curl(at, '/tools/unreachable', '-X POST')
  await until(() => /ECONNREFUSED|bad port/.test(server.log), 'the log has the cause')
})

t.test('a page of another site is refused, until it is allowed', async t => {
  const at = await project(t)
  const before = await at.start(START)
  shows(t, said(await at.run(fromPage)), 'Origin not allowed')
  await before.stop()

  await at.start(allowOrigin)
  t.notMatch(said(await at.run(fromPage)), 'Origin not allowed')
})

t.test('another host, and a session that is unknown', async t => {
  const at = await project(t)
  const before = await at.start(START)
  shows(t, said(await curl(at, '/mcp', `-H 'Host: app.example' --json '{}'`)), 'Host not allowed: app.example')
  await until(() => before.log.includes('add it to ALLOWED_HOSTS'), 'the log says how to allow it')
  const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
  const gone = await curl(at, '/mcp', `-H 'Mcp-Session-Id: gone' --json '${list}'`)
  shows(t, said(gone), 'Session not found: open a new one with initialize')
  await before.stop()

  await at.start(START, { ALLOWED_HOSTS: 'app.example' })
  t.notMatch(said(await curl(at, '/mcp', `-H 'Host: app.example' --json '{}'`)), 'Host not allowed')
})

t.test('each reason for 401, and a scope that is missing', async t => {
  const at = await project(t)
  const JWT_SECRET = 'x'.repeat(32)
  const settings = { JWT_SECRET, JWT_ISSUER: 'https://login.example/', LOG_LEVEL: 'debug' }
  await at.start(START, settings)
  const right = { iss: settings.JWT_ISSUER, aud: `http://127.0.0.1:${at.port}/mcp`, scope: 'prices:read' }
  const token = (wrong: object = {}) => signed(JWT_SECRET, { ...right, ...wrong })
  const ask = async (sent: string) =>
    said(await curl(at, '/mcp', `-i -H 'Authorization: Bearer ${sent}' --json '${'{}'}'`))

  shows(t, await ask(token({ aud: 'https://bank.example' })), 'aud is not this server')
  shows(t, await ask(token({ iss: 'https://other.example' })), 'iss is not the issuer that is trusted')
  shows(t, await ask(token({ exp: nowS() - 600 })), 'the token has expired')
  shows(t, await ask('opaque'), 'a signed token has three parts')

  const message = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_price","arguments":{}}}'
  const refused = await curl(at, '/mcp', `-H 'Authorization: Bearer ${token()}' --json '${message}'`)
  shows(t, said(refused), 'Insufficient scope: set_price needs prices:write')
  const call = await at.run('npx toolrack call set_price', { TOOLRACK_TOKEN: token() })
  shows(t, said(call), 'the server has no tool')

  const bad = doctorWithToken.replace('…', token({ aud: 'https://bank.example' }))
  const examined = await at.run(bad)
  t.equal(examined.code, 1)
  t.match(said(examined), 'bank.example')
})

t.test('what calls say: late, too large, invalid, too often', async t => {
  const at = await project(t)
  await at.start(START)
  const call = async (name: string) => said(await curl(at, `/tools/${name}`, '-X POST'))

  t.match(await call('late'), 'timed out after 200 ms')
  t.ok(text.includes('timed out after 30000 ms'))
  shows(t, await call('large'), 'returned a result that is too large: over 4194304 bytes')
  shows(t, await call('wrong'), 'returned an invalid result: structuredContent n must be integer')
  shows(t, await call('rows'), 'is a Date, not a plain object: use json(value)')
  await call('once')
  t.match(await call('once'), /"status":429.*once allows 1 calls/)
  const large = await at.run(`head -c 2000000 /dev/zero | tr '\\0' x | curl -s http://127.0.0.1:3000/mcp --json @-`)
  shows(t, said(large), 'Body too large')
})

t.test('an issuer that cannot be reached keeps the server from being ready, which says why', async t => {
  const at = await project(t)
  at.follow(START, { JWT_ISSUER: 'http://127.0.0.1:1/', PUBLIC_URL: 'https://mcp.example/mcp' })
  const ready = () => curl(at, '/ready', `-w '%{http_code}'`)

  await until(async () => /127\.0\.0\.1:1/.test((await ready()).stdout), 'it names the issuer')
  t.match((await ready()).stdout, /503$/)
})

t.test('each block of the page was run', async t => {
  t.strictSame(page.left(), [])
})
