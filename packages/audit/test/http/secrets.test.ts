// B3 and B31: tokens and secrets are in no line of the audit or the log, wherever a client puts them.
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { request } from '../../../../test/support/app.ts'
import { guarded, RESOURCE, SECRET } from '../../../../test/support/auth/guarded.ts'
import { claims, signed } from '../../../../test/support/auth/tokens.ts'

const OVER = { aud: RESOURCE, scope: 'read', jti: 'canary-of-the-token' }
const GOOD = signed(SECRET, OVER)
const FORGED = signed('another secret that nobody trusts at all', OVER)
const EXPIRED = signed(SECRET, { ...OVER, exp: claims().exp - 10_000 })

const tool = defineTool({ name: 'free', inputSchema: { type: 'object' }, handler: ({ token }) => `got ${token}` })

for (const auditArguments of [false, true]) {
  t.test(`B31: no token is in the audit or the log, with values of arguments: ${auditArguments}`, async t => {
    const app = await guarded(t, { tools: [tool], audit: { arguments: auditArguments } })
    const send = (token: string, name = 'free', args: object = {}, more: object = {}, url = '/mcp') => {
      const { message, headers } = request('tools/call', { name, arguments: args })
      const all = { ...headers, authorization: `Bearer ${token}`, ...more }
      return app.inject({ method: 'POST', url, headers: all, payload: JSON.stringify(message) })
    }

    for (const token of [GOOD, FORGED, EXPIRED]) {
      await send(token)
      await send(GOOD, 'free', { token, note: token, text: `use ${token} now`, [token]: 1, list: [[token]] })
      await send(GOOD, token)
      await send(GOOD, 'free', {}, { 'mcp-name': token, 'mcp-method': token, traceparent: token, cookie: token })
      await send(GOOD, 'free', {}, {}, `/mcp?access_token=${token}`)
      await send(GOOD, 'free', {}, { authorization: `Basic ${token}` })
      await app.inject({ method: 'GET', url: `/${token}?access_token=${token}` })
      await app.inject({ method: 'DELETE', url: '/mcp', headers: { host: 'localhost', 'mcp-session-id': token } })
      const { headers } = request(token)
      const payload = JSON.stringify({ jsonrpc: '2.0', id: 1, method: token, params: {} })
      await app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...headers, authorization: `Bearer ${GOOD}` },
        payload,
      })
    }

    t.equal(app.audit.lines.length, 27)
    for (const [where, text] of Object.entries({ audit: app.audit.text, log: app.logs.text })) {
      for (const token of [GOOD, FORGED, EXPIRED])
        for (const part of token.split('.').slice(1)) t.notOk(text.includes(part), `${where} ${part}`)
      t.notOk(text.includes(SECRET) || text.includes('canary'), where)
    }
  })
}
