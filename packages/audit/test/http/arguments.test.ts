// Arguments are names, unless the operator asks for values; then without secrets, and never many.
import t from 'tap'
import { callTool } from '../../../../test/support/app.ts'
import { audited } from '../../../../test/support/audited.ts'

const VALUES = { audit: { arguments: true } }
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJl'

t.test('audit: without AUDIT_ARGUMENTS no value is there, and of many names the first', async t => {
  const app = await audited(t)

  await callTool(app, 'fine', { city: 'canary-value', nested: { inner: 'canary-value' } })
  await callTool(app, 'fine', Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`n${n}`, n])))

  t.strictSame(app.audit.lines[0].arguments, ['city', 'nested'])
  t.equal(app.audit.lines[1].arguments.length, 33)
  t.notMatch(app.audit.text, /canary-value|inner/)
})

const KEYS = [
  'password',
  'passwd',
  'userPassword',
  'PASSPHRASE',
  'token',
  'access_token',
  'refreshToken',
  'secret',
  'client-secret',
  'api_key',
  'apiKey',
  'X-API-Key',
  'Authorization',
  'auth',
  'credentials',
  'private_key',
  'privateKey',
  'cookie',
  'pwd',
]

t.test('audit: with AUDIT_ARGUMENTS values are there, and masked under the names of secrets at any depth', async t => {
  const app = await audited(t, VALUES)
  const secrets = Object.fromEntries(KEYS.map(key => [key, 'canary-value']))

  await callTool(app, 'fine', {
    city: 'Berlin',
    days: 3,
    path: '/data/sales.csv',
    ...secrets,
    in: [{ deep: { token: { a: 'canary-value' } } }],
  })

  const { arguments: args } = app.audit.lines[0]
  t.match(args, { city: 'Berlin', days: 3, path: '/data/sales.csv', in: [{ deep: { token: '[masked]' } }] })
  for (const key of KEYS) t.equal(args[key], '[masked]', key)
  t.notMatch(app.audit.text, /canary-value/)
})

t.test('audit: secrets within values are masked', async t => {
  const app = await audited(t, VALUES)

  await callTool(app, 'fine', {
    a: `Bearer ${JWT}`,
    b: `curl -H "Authorization: Bearer abcdef123456"`,
    c: 'postgres://bob:canary-value@db/x',
    d: [JWT, 'ghp_0123456789abcdefghij', 'password=canary-value'],
  })

  t.notMatch(app.audit.text, /eyJ|abcdef123456|canary-value|ghp_/)
})

t.test('audit: values of any size and depth make one line of a few KiB', async t => {
  const app = await audited(t, VALUES)
  let deep: object = { end: 1 }
  for (let n = 0; n < 40; n++) deep = { deep }

  await callTool(app, 'fine', { long: 'x'.repeat(100_000) })
  await callTool(app, 'fine', { many: Array(9000).fill('"\\"\\') })
  await callTool(app, 'fine', { empty: Array.from({ length: 4000 }, () => []) })
  await callTool(app, 'fine', { wide: '\u{1f600}'.repeat(9000), deep })

  t.equal(app.audit.lines.length, 4)
  for (const line of app.audit.text.split('\n')) t.ok(Buffer.byteLength(line) < 9000, `${Buffer.byteLength(line)}`)
})

t.test('D19: a line that a client made up is none, in names, methods and values alike', async t => {
  const app = await audited(t, VALUES)
  const evil = 'x\n{"level":30,"msg":"audit","outcome":"ok"}\u2028\u001b[2J\u202e'

  await callTool(app, 'fine', { [evil]: evil })
  await callTool(app, evil.repeat(9)).catch(() => {})
  await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { host: 'localhost', 'content-type': 'application/json' },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: evil }),
  })

  t.equal(app.audit.lines.length, 3)
  t.equal(app.audit.text.split('\n').length, 4)
  t.notMatch(app.audit.text.replaceAll('}\n', ''), /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]|\\u001b/)
  for (const { tool } of app.audit.lines.filter(line => 'tool' in line))
    t.match(tool, /^(?:.{1,128}|.{128}… sha256:[0-9a-f]{32})$/u)
})
