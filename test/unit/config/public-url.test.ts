// Where clients find the endpoint, by its settings.
import t from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { getPathPrefix, getPublicUrl } from '../../../src/config/public-url.ts'

t.test('the public URL follows from host, port and path where it is not set', async t => {
  const urlOf = (environment: NodeJS.ProcessEnv) => getPublicUrl(readEnvironment(environment)).href

  t.equal(urlOf({}), 'http://127.0.0.1:3000/mcp')
  t.equal(urlOf({ HOST: '::1', PORT: '8080', MCP_PATH: '/x' }), 'http://[::1]:8080/x')
  t.equal(urlOf({ PUBLIC_URL: 'https://tools.example/mcp', PORT: '8080' }), 'https://tools.example/mcp')
})

t.test('what a proxy puts before the paths is what the public URL has more', async t => {
  const prefixOf = (environment: NodeJS.ProcessEnv) => getPathPrefix(readEnvironment(environment))

  t.equal(prefixOf({}), '')
  t.equal(prefixOf({ PUBLIC_URL: 'https://tools.example/shop/mcp' }), '/shop')
  t.equal(prefixOf({ PUBLIC_URL: 'https://tools.example/else' }), '', 'a path of another name tells nothing')
})
