// The embedded database: what a server does too (G6 of test/security/README.md), and what only it has
// to show. In one file, since its start costs more than all of these together.
import { once } from 'node:events'
import t from 'tap'
import { build, call, listening, request } from '../../support/app.ts'
import { attack } from '../../support/security/sql-attacks.ts'
import { create, person, RECORD_CONTRACT } from '../../support/tools/create-record-contract.ts'
import { openEmbedded, query, queryOnce, rowsOf } from '../../support/tools/databases.ts'
import { QUERY_CONTRACT } from '../../support/tools/query-database-contract.ts'
import { errorOf, SHIPPED, toolModule } from '../../support/tools/shipped.ts'

const START = 'SELECT pg_postmaster_start_time()'
const ENDLESS = 'SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b'
/** Takes some 300 MB, which WebAssembly would keep. */
const GROWING = "SELECT length(string_agg(repeat('x', 1000), '')) FROM generate_series(1, 200000)"

t.test('query_database and create_record (embedded)', async t => {
  const { app } = await openEmbedded(t)

  await t.test('its start is told to who waits for it, and by the log, once', async t => {
    const ask = (progressToken: string) =>
      call(app, 'tools/call', { name: 'query_database', arguments: { query: 'SELECT 1' } }, { meta: { progressToken } })
    const [first, waiting] = await Promise.all([ask('first'), ask('waiting')])
    const later = await ask('later')

    const message = 'The sample database is starting'
    t.match(first.notifications, [{ params: { progressToken: 'first', progress: 0, message } }])
    t.match(waiting.notifications, [{ params: { progressToken: 'waiting', progress: 0, message } }])
    t.strictSame(later.notifications, [])
    const told = app.logs.lines.filter(({ entry }) => /^The sample database is starting/.test(entry))
    t.match(told, [{ level: 30, tool: 'query_database', entry: /SAMPLE_DATABASE=false/ }])
    t.equal(told.length, 1)
  })

  await t.test('G6: the embedded database', t => attack(t, { app, isServer: false }))
  for (const [sentence, check] of Object.entries({ ...QUERY_CONTRACT, ...RECORD_CONTRACT })) {
    await t.test(sentence, t => check(t, app))
  }

  await t.test('what was created outlives a query that had to be stopped', async t => {
    const { structuredContent } = await create(app, 'users.users', person())
    const { id, email } = structuredContent.record

    t.match(errorOf(await queryOnce(app, 'SELECT pg_sleep(60)')), /took longer than 5 s/)
    const next = await create(app, 'users.users', person())

    t.strictSame(await rowsOf(app, `SELECT id FROM users WHERE email = '${email}'`), [[id]])
    t.equal(next.structuredContent.record.id, id + 1)
  })

  await t.test('a mistake is told as one by tools that were read again, on the database that was there', async t => {
    const [[start] = []] = await rowsOf(app, START)
    const again = await build(t, SHIPPED)

    t.match(errorOf(await query(again, 'SELECT nam FROM users')), /column "nam" does not exist at character 8/)
    t.match(errorOf(await create(again, 'users.users', { ...person(), email: 'none' })), /users_email_check/)
    t.strictSame(await rowsOf(again, START), [[start]])
  })

  await t.test('callers of whom some leave get their own rows, and no other ones', async t => {
    const { app: busy, url } = await listening(t, SHIPPED)
    const ask = async () => {
      const before = await rowsOf(app, START)
      const settled = await Promise.allSettled(Array.from({ length: 24 }, (_, index) => numbered(url, index)))
      return { settled, before, after: await rowsOf(busy, START) }
    }

    let asked = await ask()
    // Each is given up after 5 s, in which the machine may have stood still.
    for (let tries = 1; tries < 4 && asked.settled.some(({ status }) => status === 'rejected'); tries++)
      asked = await ask()

    const all = asked.settled.map(each => (each.status === 'fulfilled' ? each.value : 'failed'))
    t.strictSame(
      all.filter(each => each !== undefined),
      all.flatMap((_, index) => (index % 3 === 0 ? [] : [index])),
    )
    t.strictSame(asked.after, asked.before, 'no thread had to be replaced for it')
  })

  await t.test('when twenty callers have left their endless queries, the next one is served', async t => {
    const { app: busy, url } = await listening(t, SHIPPED)
    await rowsOf(busy, 'SELECT 1')
    // One after the other, each as soon as it has begun.
    for (let caller = 0; caller < 20; caller++) {
      const leaving = new AbortController()
      const arrived = once(busy.server, 'request')
      const left = post(url, ENDLESS, leaving.signal).catch(() => 'left')
      await arrived
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
      leaving.abort()
      t.equal(await left, 'left')
    }

    const first = await queryOnce(busy, 'SELECT 6 * 7')

    t.strictSame(first.structuredContent?.rows, [[42]], first.content[0].text)
    t.strictSame(await rowsOf(busy, 'SELECT count(*) > 0 FROM users.users'), [[true]])
  })

  await t.test('who leaves while its record is written leaves all of it or nothing', async t => {
    const { openEmbedded: open } = await toolModule<Embedded>('_database/embedded.ts')
    const db = open()
    const count = async () => (await rowsOf(app, 'SELECT count(*) FROM users.users'))[0]![0] as number
    const before = await count()
    let written = 0

    for (let step = 0; step < 12; step++) {
      const leaving = new AbortController()
      const call = { schema: 'users', signal: leaving.signal }
      const { email, name } = person() as unknown as { email: string; name: string }
      const insert = async (lane: Lane) => {
        const text = 'INSERT INTO users.users (email, name) VALUES ($1, $2) RETURNING to_jsonb(users.*)::text'
        const { rows } = await lane.run(text, [email, name])
        // So many turns later it leaves: before the end of the transaction, in it, or behind it.
        let turns = step
        const turn = () => (turns-- > 0 ? setImmediate(turn) : leaving.abort())
        turn()
        return { schema: 'users', table: 'users', record: rows[0]![0]! }
      }
      await db.insert(insert, call).then(
        () => {},
        () => {},
      )
      written = (await count()) - before
    }
    // The next thread has what was kept of it, and nothing else.
    t.match(errorOf(await queryOnce(app, 'SELECT pg_sleep(60)')), /took longer than 5 s/)

    t.equal((await count()) - before, written)
  })

  await t.test('it is full at 4 MiB, and says what to do; what it holds stays through a restart', async t => {
    const order = { user_id: 1, note: 'x'.repeat(60_000) }
    let last = await create(app, 'orders.orders', order)
    for (let count = 1; count < 80 && last.isError !== true; count++) last = await create(app, 'orders.orders', order)

    t.match(errorOf(last), /full: it takes 1000 records, or 4 MiB.*set DATABASE_URL/)
    const held = 'SELECT count(*), max(id) FROM orders.orders'
    const [count, [[start] = []]] = [await rowsOf(app, held), await rowsOf(app, START)]
    t.strictSame(await rowsOf(app, START), [[start]])

    await queryOnce(app, GROWING)

    t.notSame(await rowsOf(app, START), [[start]], 'a thread that grew has been replaced')
    t.strictSame(await rowsOf(app, held), count)
  })
})

interface Lane {
  run(text: string, values?: readonly string[]): Promise<{ rows: (string | null)[][] }>
}
interface Embedded {
  openEmbedded(): { insert(work: (lane: Lane) => Promise<object>, call: object): Promise<unknown> }
}

async function post(url: string, text: string, signal: AbortSignal): Promise<string> {
  const { message, headers } = request('tools/call', { name: 'query_database', arguments: { query: text } })
  const { host: _, ...rest } = headers
  const reply = await fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message), signal })
  return await reply.text()
}

/** A caller that gets the number back that it asked for; each third one leaves at once, and gets none. */
async function numbered(url: string, index: number): Promise<number | undefined> {
  const { message, headers } = request('tools/call', {
    name: 'query_database',
    arguments: { query: `SELECT ${index}` },
  })
  const { host: _, ...rest } = headers
  const leaving = new AbortController()
  const reply = fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message), signal: leaving.signal })
  if (index % 3 === 0) setImmediate(() => leaving.abort())
  const body = await reply.then(each => each.text()).catch(() => undefined)
  return body === undefined ? undefined : JSON.parse(body).result.structuredContent.rows[0][0]
}
