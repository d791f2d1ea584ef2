// Where the metadata of a protected resource is, and how a challenge points to it.
import t from 'tap'
import { formatChallenge } from '../../../src/auth/challenge.ts'
import { getMetadataPaths, toMetadataUrl } from '../../../src/config/public-url.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const URL_OF = 'https://x.example/m'

t.test('the well-known name comes before the path of the resource', async t => {
  const urls: Record<string, string> = {
    'https://x.example/mcp': `https://x.example${WELL_KNOWN}/mcp`,
    'https://x.example': `https://x.example${WELL_KNOWN}`,
    'https://x.example/': `https://x.example${WELL_KNOWN}`,
    'https://x.example:8443/a/b/mcp': `https://x.example:8443${WELL_KNOWN}/a/b/mcp`,
    'http://[::1]:3000/mcp': `http://[::1]:3000${WELL_KNOWN}/mcp`,
  }

  for (const [resource, expected] of Object.entries(urls)) t.equal(toMetadataUrl(new URL(resource)), expected)
})

t.test('within a prefix the well-known name comes behind it', async t => {
  t.equal(toMetadataUrl(new URL('https://x.example/ai/mcp'), '/ai'), `https://x.example/ai${WELL_KNOWN}/mcp`)
  t.equal(toMetadataUrl(new URL('https://x.example/ai/'), '/ai'), `https://x.example/ai${WELL_KNOWN}`)
  t.equal(toMetadataUrl(new URL('https://x.example/aix/mcp'), '/ai'), `https://x.example${WELL_KNOWN}/aix/mcp`)
})

t.test('it is served at the root, behind our path, and behind the public one', async t => {
  t.strictSame(getMetadataPaths('/mcp', new URL('https://x.example/mcp')), [WELL_KNOWN, `${WELL_KNOWN}/mcp`])
  t.strictSame(getMetadataPaths('/mcp', new URL('https://x.example/tools/mcp')), [
    WELL_KNOWN,
    `${WELL_KNOWN}/mcp`,
    `${WELL_KNOWN}/tools/mcp`,
  ])
})

t.test('a challenge has an error only where there is one, and scopes only where some are needed', async t => {
  t.equal(formatChallenge(URL_OF, {}), `Bearer resource_metadata="${URL_OF}"`)
  t.equal(formatChallenge(URL_OF, { scopes: ['a', 'b'] }), `Bearer resource_metadata="${URL_OF}", scope="a b"`)
  t.equal(formatChallenge(URL_OF, { description: 'x' }), `Bearer resource_metadata="${URL_OF}"`)
  t.equal(
    formatChallenge(URL_OF, { error: 'invalid_token', description: 'late', scopes: ['a'] }),
    `Bearer error="invalid_token", error_description="late", resource_metadata="${URL_OF}", scope="a"`,
  )
})

t.test('a challenge that points to no metadata has a realm, since it must have a parameter', async t => {
  t.equal(formatChallenge(undefined, {}), 'Bearer realm="toolrack"')
  t.equal(
    formatChallenge(undefined, { error: 'insufficient_scope', description: 'x', scopes: ['a'] }),
    'Bearer error="insufficient_scope", error_description="x", realm="toolrack", scope="a"',
  )
})

t.test('nothing in a text or a scope can break out of the header', async t => {
  const hostile = 'a"b\\c\r\nSet-Cookie: x=1\0\u2028é😀'
  const challenge = formatChallenge(URL_OF, {
    error: 'insufficient_scope',
    description: hostile,
    scopes: ['ok', 'a"b', 'a b', 'a\r\nb', 'é', '', 'c:d/e'],
  })

  t.match(challenge, /^[\x20-\x7e]*$/)
  t.equal(challenge.match(/"/g)?.length, 8, 'quotes of the four parameters only')
  t.match(challenge, ', scope="ok c:d/e"')
})

t.test('more scopes than fit into a header are left to the metadata', async t => {
  const scopes = Array.from({ length: 500 }, (_, at) => `scope-${at}`)

  t.equal(formatChallenge(URL_OF, { scopes }), `Bearer resource_metadata="${URL_OF}"`)
})
