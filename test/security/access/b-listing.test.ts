// A list has exactly what its reader may call, for any tools, scopes and page size, in both eras.
import fc from 'fast-check'
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { type App, call, request } from '../../support/app.ts'
import { bearer, guarded } from '../../support/auth/guarded.ts'
import { inject } from '../../support/client/transport.ts'
import { SEED } from '../../support/security/mutants.ts'
import { callOf, openSession } from '../../support/security/sessions.ts'

const SCOPES = ['a', 'b', 'c', 'd', 'admin', 'write']
const RUNS = Number(process.env['RUNS'] ?? 25)
/** admin>write>a, admin>c */
const ABOVE: Record<string, readonly string[]> = { a: ['write', 'admin'], write: ['admin'], c: ['admin'] }

interface Door {
  list(cursor?: string): Promise<{ tools: { name: string }[]; nextCursor?: string; cacheScope?: string }>
  /** The status of a call. */
  call(name: string): Promise<number>
}

function modern(app: App, headers: Record<string, string>): Door {
  return {
    list: async cursor => (await call(app, 'tools/list', { ...(cursor && { cursor }) }, { headers })).result,
    async call(name) {
      const sent = request('tools/call', { name, arguments: {} }, { headers })
      const { method, url } = { method: 'POST' as const, url: '/mcp' }
      return (await app.inject({ method, url, headers: sent.headers, payload: JSON.stringify(sent.message) }))
        .statusCode
    },
  }
}

async function legacy(app: App, headers: Record<string, string>): Promise<Door> {
  const session = await openSession(app, undefined, { headers })
  const list = (cursor?: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { ...(cursor && { cursor }) },
  })
  return {
    list: async cursor => (await inject(app).send({ session, headers, body: list(cursor) })).message!.result,
    call: async name => (await inject(app).send({ session, headers, body: callOf(name) })).status,
  }
}

async function listed({ list }: Door): Promise<string[]> {
  const names: string[] = []
  for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
    const { tools, nextCursor, cacheScope = 'private' } = await list(cursor)
    if (cacheScope !== 'private') throw new Error(`cacheScope is ${cacheScope}`)
    names.push(...tools.map(({ name }) => name))
    cursor = nextCursor
  }
  return names
}

const sets = fc.subarray(SCOPES)
const scenario = fc.record({
  needs: fc.array(fc.subarray(SCOPES, { maxLength: 3 }), { minLength: 1, maxLength: 8 }),
  grants: fc.array(sets, { minLength: 1, maxLength: 4 }),
  pageSize: fc.integer({ min: 1, max: 5 }),
  isOrdered: fc.boolean(),
})

t.test(`B19: ${RUNS} servers: what is listed is what can be called, whoever asks, and in both eras`, async t => {
  t.comment(`SEED=${SEED}`)
  let checked = 0
  const holds = fc.asyncProperty(scenario, async ({ needs, grants, pageSize, isOrdered }) => {
    const tools = needs.map((scopes, index) => defineTool({ name: `t${index}`, scopes, handler: () => 'x' }))
    const order = isOrdered ? { scopes: { hierarchy: 'admin>write>a, admin>c' } } : {}
    const app = await guarded(t, { tools, resources: [], prompts: [], pageSize, ...order })
    for (const granted of grants) {
      const headers = bearer(granted.join(' '))
      const has = (scope: string) =>
        granted.includes(scope) || (isOrdered && (ABOVE[scope] ?? []).some(above => granted.includes(above)))
      const expected = tools.filter((_, index) => needs[index]!.every(has)).map(({ name }) => name)
      for (const door of [modern(app, headers), await legacy(app, headers)]) {
        t.strictSame(await listed(door), expected)
        for (const { name } of tools) {
          const status = await door.call(name)
          if (status !== (expected.includes(name) ? 200 : 403)) throw new Error(`${name}: ${status}`)
          checked++
        }
      }
    }
    await app.close()
  })

  await fc.assert(holds, { numRuns: RUNS, seed: SEED | 0 })

  t.comment(`${checked} calls`)
})

t.test('B19: subjects with the same scopes see the same page, each with a cursor of their own', async t => {
  const app = await guarded(t, { pageSize: 1 })
  const first = async (sub: string) => (await call(app, 'tools/list', {}, { headers: bearer('read', { sub }) })).result

  const [alice, again, bob] = [await first('alice'), await first('alice'), await first('bob')]

  t.strictSame(alice, again, 'written once')
  t.strictSame(alice.tools, bob.tools)
  t.not(alice.nextCursor, bob.nextCursor)
  t.equal(alice.cacheScope, 'private')
})

t.test('B19: with other scopes a cursor leads into another list, and is refused', async t => {
  const app = await guarded(t, { pageSize: 1 })
  const { nextCursor: cursor } = (await call(app, 'tools/list', {}, { headers: bearer('read') })).result

  const same = await call(app, 'tools/list', { cursor }, { headers: bearer('read unheard-of') })
  const other = await call(app, 'tools/list', { cursor }, { headers: bearer() })

  t.equal(same.result.tools[0].name, 'closed')
  t.match(other.error, { code: -32602, message: /^Invalid cursor: the list has changed/ })
})
