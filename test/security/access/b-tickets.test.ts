// The id of a session whose process has ended, sealed with STATE_SECRET: changed, stolen, and sent
// again and again.
import t, { type Test } from 'tap'
import { Seal } from '../../../src/auth/seal.ts'
import { ALICE as GUARDED, OTHERS as GUARDED_OTHERS, guarded } from '../../support/auth/guarded.ts'
import { inject } from '../../support/client/transport.ts'
import { ALICE, BOB, host, isUnknown, OTHERS } from '../../support/security/hosted.ts'
import { callOf, openSession } from '../../support/security/sessions.ts'

const SECRET = 'the state secret of both processes, long enough'
const STATE = { stateSecret: SECRET }

/** The id of a session of a former process, and the app of the next. */
async function restarted(t: Test, headers: Record<string, string> = ALICE, options: object = {}) {
  const { app: former } = await host(t, STATE)
  const id = await openSession(former, undefined, { headers })
  const { app } = await host(t, { ...STATE, ...options })
  return { id, app }
}

const call = (app: Parameters<typeof inject>[0], session: string, headers: Record<string, string> = ALICE) =>
  inject(app).send({ session, headers, body: callOf('whose') })

t.test('B23: to everybody else the session of a former process is one that does not exist', async t => {
  const { id, app } = await restarted(t)
  const unknown = await call(app, 'x'.repeat(id.length), BOB)

  for (const headers of OTHERS) {
    const got = await call(app, id, headers)
    t.equal(got.text, unknown.text, 'word for word')
    isUnknown(t, await inject(app).send({ session: id, method: 'DELETE', headers }), 'DELETE')
    isUnknown(
      t,
      await inject(app).send({ session: id, method: 'GET', headers: { ...headers, accept: 'text/event-stream' } }),
      'GET',
    )
  }

  t.match((await call(app, id)).message, { result: { content: [{ text: 'alice' }] } })
  for (const headers of OTHERS) isUnknown(t, await call(app, id, headers), 'once it is open')
})

t.test('B23: an id with one character changed, cut or added opens nothing', async t => {
  const { id, app } = await restarted(t)
  const other = (at: number) => (id[at] === 'A' ? 'B' : 'A')
  const changed = [...id].map((_, at) => id.slice(0, at) + other(at) + id.slice(at + 1))
  const cut = [...id].map((_, at) => id.slice(0, at))
  const added = ['A', '=', '==', '.', '%20', '\u00e9'].map(end => id + end)

  for (const wrong of [...changed, ...cut.slice(1), ...added]) {
    const { status } = await call(app, wrong)
    t.equal(status, 404, wrong)
  }
  t.equal((await call(app, id)).status, 200)
})

t.test('B23: another spelling of the same bytes opens nothing', async t => {
  const { id, app } = await restarted(t)
  const bytes = Buffer.from(id, 'base64url')
  const spellings = [
    bytes.toString('base64'),
    bytes.toString('hex'),
    id.replace(/-/g, '+').replace(/_/g, '/'),
    `${id.slice(0, 4)} ${id.slice(4)}`,
    `${id.slice(0, 4)}!${id.slice(4)}`,
    encodeURIComponent(`${id}=`),
    id.toUpperCase(),
  ].filter(each => each !== id)

  for (const wrong of spellings) t.equal((await call(app, wrong)).status, 404, wrong)
  t.equal((await call(app, id)).status, 200)
})

t.test('B25: what is sealed for something else, by another secret or for another caller, opens nothing', async t => {
  const { id, app } = await restarted(t)
  const payload = ['2025-11-25', '', '', Math.floor(Date.now() / 1000), 'another']
  const seal = new Seal(SECRET)
  const wrong = [
    seal.seal('cursor', payload),
    seal.seal('request-state', payload),
    seal.seal('confirmation', payload),
    new Seal('another secret that is long enough too').seal('session', payload),
    // Of nobody.
    seal.seal('session', payload),
    seal.seal('session', ['2025-11-25', '', '', 0, 'another']),
  ]

  for (const each of wrong) t.equal((await call(app, each)).status, 404)
  t.equal((await call(app, wrong[4]!, {})).status, 200, 'it is of whoever is not verified')
  t.equal((await call(app, id)).status, 200)
})

t.test('B23: an id of ten KiB is answered as any other', async t => {
  const { id, app } = await restarted(t)

  for (const long of ['A'.repeat(10 * 1024), id.repeat(70), `${id}${'A'.repeat(10_000)}`])
    isUnknown(t, await call(app, long), `${long.length}`)
})

t.test('B23: an id that was ended opens no more in that process, however often it is sent', async t => {
  const { id, app } = await restarted(t)
  t.equal((await inject(app).send({ session: id, method: 'DELETE', headers: ALICE })).status, 204)

  for (let count = 0; count < 50; count++) t.equal((await call(app, id)).status, 404)
})

t.test('E10, B23: an id that is sent a thousand times opens one session, and one of another none', async t => {
  const options = { ...STATE, rateLimit: { max: 10_000 } }
  const id = await openSession(await guarded(t, options), undefined, { headers: GUARDED })
  const app = await guarded(t, options)
  const { bob } = GUARDED_OTHERS

  for (let count = 0; count < 1000; count++)
    await inject(app).send({ session: id, headers: count % 2 === 0 ? GUARDED : bob!, body: callOf('free') })

  const metrics = await app.inject({ url: '/metrics', headers: { host: 'localhost' } })
  t.match(metrics.body, 'toolrack_sessions{status="kept"} 1\n')
})
