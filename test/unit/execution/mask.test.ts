import t from 'tap'
import { createMask } from '../../../src/execution/mask.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln'
const PEM = '-----BEGIN RSA PRIVATE KEY----- MIIEow IBAAK+/= -----END RSA PRIVATE KEY-----'

const MASKED: [what: string, text: string, masked: string][] = [
  ['credentials in a URL', 'at postgres://me:pw@db:5432/x', 'at postgres://[credentials]@db:5432/x'],
  ['a password with an @', 'mongodb+srv://me:p@ss@db/x', 'mongodb+srv://[credentials]@db/x'],
  ['a password without a user', 'redis://:pw@cache', 'redis://[credentials]@cache'],
  ['a bearer token', 'sent Bearer abc.DEF-123', 'sent Bearer [token]'],
  ['basic credentials', 'Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [token]'],
  ['a JWT', `refused ${JWT}.`, 'refused [token].'],
  ['a key of OpenAI', 'sk-proj-abcdefghijkl used', '[secret] used'],
  ['a key of Stripe', 'sk_live_abcdefghijkl', '[secret]'],
  ['a token of GitHub', 'ghp_abcdefghijklmnop', '[secret]'],
  ['a key of AWS', 'AKIAIOSFODNN7EXAMPLE', '[secret]'],
  ['a private key', `loaded ${PEM}!`, 'loaded [secret]!'],
  ['a setting', 'API_KEY=abc123 and more', 'API_KEY=[secret] and more'],
  ['a setting of JSON', '{"accessToken":"abc123","a":1}', '{"accessToken":"[secret]","a":1}'],
  ['a setting with a prefix', 'aws_secret_access_key = wJalrXUtnFEMI', 'aws_secret_access_key = [secret]'],
  ['a parameter of a URL', 'https://x.example/?token=abc123&a=1', 'https://x.example/?token=[secret]&a=1'],
  ['a path', "ENOENT: open '/home/me/x.csv'", "ENOENT: open '[path]'"],
  ['a path after a colon', 'open:/home/me/x', 'open:[path]'],
  ['a path with a place', 'at (/opt/app/x.js:10:3)', 'at ([path]:10:3)'],
  ['a path with accents', '/home/jürgen/daten/x', '[path]'],
  ['a folder of the system', 'in /tmp', 'in [path]'],
  ['a file URL', 'from file:///srv/app/x.ts', 'from [path]'],
  ['a path of Windows', 'C:\\Users\\me\\x.csv', '[path]'],
  ['a share of Windows', 'on \\\\server\\share\\x', 'on [path]'],
]

for (const [what, text, masked] of MASKED) {
  t.test(`mask: ${what} is taken out`, t => {
    t.equal(createMask([])(text), masked)
    t.end()
  })
}

const KEPT = [
  'and/or, 1/2, a / b',
  'https://docs.example/a/b/c.html#d',
  'GET /prices failed with 404',
  'image/png is not text/plain',
  'x.y.z and skills and tokens',
  'the token is missing',
  'v1.2.3-rc.1 of @scope/name',
]

for (const text of KEPT) {
  t.test(`mask: ${JSON.stringify(text)} stays`, t => {
    t.equal(createMask([])(text), text)
    t.end()
  })
}

t.test('mask: secret values are taken out wherever they stand, the longest first', t => {
  const mask = createMask(['abcdef', 'abcdefghi', 'x'])

  t.equal(mask('abcdefghi, abcdef, (xabcdefx)'), '[secret], [secret], (x[secret]x)')
  t.end()
})

t.test('mask: a secret of several lines is taken out of a text of one, too', t => {
  const mask = createMask(['first line\nsecond line\n'])

  t.equal(mask('it was first line second line.'), 'it was [secret].')
  t.equal(mask('it was first line\nsecond line\n.'), 'it was [secret].')
  t.end()
})

t.test('mask: values too short to be secrets mask no words', t => {
  t.equal(createMask(['', 'a', 'true'])('a is true'), 'a is true')
  t.end()
})

t.test('mask: no text takes long', t => {
  const units = [
    'eyJ-',
    'eyJaaaaa.',
    'a://',
    'sk-',
    'Bearer ',
    'token',
    'token  ',
    '/a',
    '/a ',
    'C:\\',
    '\\\\a',
    'a+',
    '=',
  ]
  const mask = createMask(['some-secret-value'])

  const openings = [
    '-----BEGIN PRIVATE KEY----- a',
    'file:///',
    'secret="',
    "password='a\\",
    'a:b@',
    '/'.repeat(9),
    'a://a:',
  ]
  const headers = ['cookie: a', 'authorization: a ', '--a-token ', 'login a password ', '?key=a', '123456789:AA']
  for (const unit of [...units, ...openings, ...headers, `"d":"${'a'.repeat(39)}`, 'Private-Lines: 1']) {
    const text = unit.repeat(65_536 / unit.length)
    const tookMs = cpuMsOf(() => mask(text))
    t.ok(tookMs < 250, `${unit}: ${tookMs} ms`)
  }
  t.end()
})
