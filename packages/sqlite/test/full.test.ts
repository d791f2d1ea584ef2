// A file that is full, by its bound or by its disk: what expires or may be missed makes room, and else
// what is new is refused, and what there is goes on.
import t from 'tap'
import { toCompleted } from '../../../src/tasks/transitions.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { aTask, resultOf } from '../../state/src/suites/a-task.ts'
import { OPENING } from '../../state/src/suites/sessions.ts'
import { SqliteEvents } from '../src/events.ts'
import { StateFile } from '../src/file.ts'
import { SqliteKeptResults } from '../src/kept-results.ts'
import { SqliteSessions } from '../src/sessions.ts'
import { SqliteTasks } from '../src/tasks.ts'
import { SqliteUsedTokens } from '../src/used-tokens.ts'
import { opened } from './a-file.ts'

const MIB = 1024 * 1024
const TOO_FULL = { name: 'McpError', reason: 'BUSY', status: 503, retryAfterS: Number }

const stores = (file: StateFile) => ({
  tasks: new SqliteTasks(file, { maxShareOfFree: 1e9 }),
  events: new SqliteEvents(file),
  sessions: new SqliteSessions(file),
  kept: new SqliteKeptResults(file),
  used: new SqliteUsedTokens(file),
})

const large = (id: string, more: object = {}) => aTask({ id, tool: 'x'.repeat(50_000), ...more })

/** Adds tasks until one is refused. */
function fill(tasks: SqliteTasks, name = 'task'): unknown {
  for (let n = 0; n < 1000; n++) {
    try {
      tasks.create(large(`${name}-${n}`))
    } catch (error) {
      return error
    }
  }
  throw new Error('the file was never full')
}

t.test('a full file: what is new is refused, what there is is read and ends, and it is told once', async t => {
  const { file, store, logged } = opened(t, stores, { maxBytes: 2 * MIB })
  const session = store.sessions.open(OPENING)
  store.used.consumeOnce('used', Date.now() + 60_000)

  t.match(fill(store.tasks), TOO_FULL)
  for (let n = 0; n < 5; n++) t.throws(() => store.tasks.create(large('one more')), TOO_FULL)

  t.match(file.problems(), [/is full/])
  t.equal(logged.filter(({ level }) => level === 'error').length, 1)
  t.ok(store.tasks.find('task-0'))
  t.equal(store.tasks.find('one more'), undefined)
  t.ok(store.sessions.find(session.id))
  t.equal(store.used.consumeOnce('used', Date.now() + 60_000), false)
  for (let n = 0; n < 3; n++)
    t.match(store.tasks.change(`task-${n}`, toCompleted(resultOf('done'))), { status: 'completed' }, 'its end is kept')

  for (let n = 0; n < 10; n++) store.tasks.remove(`task-${n}`)
  await eventually(() => file.problems().length === 0, 'what was removed makes room')
  store.tasks.create(large('one more'))
})

t.test('a full file: events of streams make room for tasks', async t => {
  const { file, store } = opened(t, stores, { maxBytes: 2 * MIB })
  for (let n = 0; n < 30; n++) {
    const key = { session: 'mine', stream: `s${n}` }
    store.events.append(key, { seq: 1, json: 'x'.repeat(50_000) })
  }

  for (let n = 0; n < 12; n++) store.tasks.create(large(`task-${n}`))

  t.strictSame(file.problems(), [])
  t.ok(store.tasks.find('task-11'))
  t.equal(store.events.read({ session: 'mine', stream: 's0' }, 0), undefined)
  t.ok(store.events.read({ session: 'mine', stream: 's29' }, 0))
})

t.test('a full file: a process does not wait until thousands of streams have gone', async t => {
  const { store, file } = opened(
    t,
    file => ({ tasks: new SqliteTasks(file, { maxShareOfFree: 1e9 }), events: new SqliteEvents(file) }),
    { maxBytes: 1024 * 1024 },
  )
  const count = () => Number(file.get("SELECT count FROM usage WHERE kind = 'streams*'")?.['count'])
  for (let n = 0; n < 3000; n++) store.events.begin({ session: 's', stream: String(n), isReply: true })

  const counts: number[] = []
  while (counts.length < 3) {
    const before = count()
    store.tasks.create(aTask({ tool: 'x'.repeat(4000) }))
    if (count() < before) counts.push(count())
  }

  t.strictSame(counts, [2000, 1000, 500])
})

t.test('a full file: what has expired makes room, and an event that finds none is not kept', async t => {
  const { store } = opened(t, stores, { maxBytes: 2 * MIB })
  for (let n = 0; n < 20; n++) store.tasks.create(large(`brief-${n}`, { ttlMs: 1 }))
  await new Promise(resolve => setTimeout(resolve, 5))

  for (let n = 0; n < 20; n++) store.tasks.create(large(`task-${n}`))
  t.match(fill(store.tasks, 'more'), TOO_FULL)
  store.events.append({ session: 'mine', stream: 'a' }, { seq: 1, json: 'x'.repeat(100_000) })

  t.ok(store.tasks.find('task-19'))
  t.equal(store.events.read({ session: 'mine', stream: 'a' }, 0)?.events.length ?? 0, 0)
})

t.test('a file that was full gives its free pages back to the disk', async t => {
  const { file, store } = opened(t, stores)
  const pages = () => Number(Object.values(file.get('PRAGMA page_count')!)[0])
  for (let n = 0; n < 100; n++) store.tasks.create(large(`task-${n}`))
  const full = pages()

  for (let n = 0; n < 100; n++) store.tasks.remove(`task-${n}`)

  await eventually(() => pages() < full / 5, 'it shrinks')
})

t.test('a file without a path, or too small for its tables, is refused when it is made', async t => {
  t.throws(() => new StateFile({ path: '' }), { name: 'TypeError', message: /^path/ })
  for (const maxBytes of [0, MIB - 1, Number.NaN])
    t.throws(() => new StateFile({ path: 'a.db', maxBytes }), { name: 'TypeError', message: /^maxBytes/ })
})
