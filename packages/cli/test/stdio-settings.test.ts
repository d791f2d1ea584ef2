// The settings of a server on stdin and stdout: no access control, no port.
import t from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { acceptsTokens, hasAccessControl } from '../../../src/config/access.ts'
import { toStdioSettings } from '../src/stdio-settings.ts'

t.test('settings of access and of HTTP are dropped, and the first are named', async t => {
  const given = readEnvironment({
    JWT_ISSUER: 'https://issuer.example',
    JWT_AUDIENCE: 'https://mcp.example',
    API_KEYS_FILE: 'keys.json',
    AUTHORIZATION_SERVERS: 'https://issuer.example',
    METRICS_PORT: '9000',
    CONSOLE: 'true',
    DRAIN_MS: '5',
  })
  const { settings, ignored } = toStdioSettings(given)

  t.ok(hasAccessControl(given))
  t.notOk(hasAccessControl(settings))
  t.notOk(acceptsTokens(settings))
  t.match(settings, { console: false, plainHttp: false, httpSse: false, metrics: false, metricsPort: undefined })
  t.equal(settings.drainMs, 5)
  t.strictSame(new Set(ignored), new Set(['JWT_ISSUER', 'JWT_AUDIENCE', 'API_KEYS_FILE', 'AUTHORIZATION_SERVERS']))
})

t.test('without such settings nothing is named', async t => {
  t.strictSame(toStdioSettings(readEnvironment({})).ignored, [])
})
