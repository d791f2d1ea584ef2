// docs/reference/cryptography.md says which algorithms the code uses: nothing else calls node:crypto with a key or another hash.
import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { ALGORITHMS } from '../../src/auth/algorithms.ts'

const page = readFileSync('docs/reference/cryptography.md', 'utf8')
const sources = globSync('{src,plugins,routes,tools,packages/*/src}/**/*.ts', {
  exclude: ['**/node_modules/**', '**/dist/**'],
}).map(path => ({ path, code: readFileSync(path, 'utf8') }))

const importsOf = (code: string) =>
  [...code.matchAll(/import (?:type )?\{([^}]*)\} from '(?:node:)?crypto'/g)].flatMap(([, names = '']) =>
    names.split(',').map(name => name.trim().replace(/^type /, '')),
  )

/** They have neither a key nor a choice of algorithm. */
const PLAIN = ['createHash', 'hash', 'randomBytes', 'randomUUID', 'timingSafeEqual', 'JsonWebKey', 'KeyObject']
/** Reads keys of an issuer; the algorithms are those of tokens. */
const READS_KEYS = ['packages/tokens/src/parse-jwks.ts']

t.test('docs: every file that uses a key is on the page', async t => {
  const keyed = sources.filter(({ code }) => importsOf(code).some(name => !PLAIN.includes(name)))

  t.ok(keyed.length >= 4, String(keyed.length))
  for (const { path } of keyed) t.ok(READS_KEYS.includes(path) || page.includes(`\`${path}\``), path)
})

t.test('docs: every hash is SHA-256, and ciphers and curves are those of the page', async t => {
  const find = (pattern: RegExp) =>
    new Set(sources.flatMap(({ code }) => [...code.matchAll(pattern)].map(([, name]) => name)))

  // The first argument, also if it is no text.
  t.strictSame([...find(/\b(?:createHash|createHmac|hkdfSync)\(\s*([^,)]+)/g)], ["'sha256'"])
  t.strictSame([...find(/(?<![\w.])hash\('([^']+)'/g)], ['sha256'])
  t.strictSame([...find(/'((?:aes|aria|camellia|chacha20|des)-[\w-]+)'/g)], ['aes-256-gcm'])
  t.strictSame([...find(/namedCurve: '([\w-]+)'/g)], ['P-256'])
})

t.test('docs: the algorithms of tokens are those that are accepted', async t => {
  const [, row = ''] = /^\| tokens by the keys of an issuer \| ([^;]+);/m.exec(page) ?? []

  t.strictSame(
    row.split(', ').sort(),
    ALGORITHMS.filter(name => name !== 'HS256').toSorted((one, other) => (one < other ? -1 : 1)),
  )
})
