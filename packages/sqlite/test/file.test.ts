// The file itself: who may open it, and what a server does when something is wrong with it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { startState } from '../../../src/state/state.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { aTask } from '../../state/src/suites/a-task.ts'
import { OPENING } from '../../state/src/suites/sessions.ts'
import { memory } from '../../toolrack/state.ts'
import { StateFile } from '../src/file.ts'
import { FileLock } from '../src/lock.ts'
import { loadSqlite } from '../src/module.ts'
import { MIGRATIONS, migrate } from '../src/schema.ts'
import { SqliteSecret } from '../src/secret.ts'
import { SqliteSessions } from '../src/sessions.ts'
import { SqliteTasks } from '../src/tasks.ts'
import { aContext, aPath, opened } from './a-file.ts'

const { DatabaseSync } = loadSqlite()

const start = (path: string) => new StateFile({ path }).start(aContext().context)
const unavailable = { name: 'McpError', reason: 'STATE_UNAVAILABLE', status: 503, retryAfterS: Number }

/** As another program sees it. */
function other(t: Test, path: string) {
  const database = new DatabaseSync(path)
  t.teardown(() => database.close())
  return database
}

t.test('state file: it is private, also if it was there before', async t => {
  const path = aPath(t)
  writeFileSync(path, '')
  chmodSync(path, 0o664)
  opened(t, () => undefined, { path })
  const { path: made } = opened(t, () => undefined)

  t.equal(statSync(path).mode & 0o777, 0o660, 'a group stays')
  for (const end of ['', '-wal', '-shm', '-lock']) t.equal(statSync(made + end).mode & 0o777, 0o600, end)
})

t.test('state file: what is refused keeps its rights, and nothing is left beside a folder', async t => {
  const path = aPath(t)
  writeFileSync(path, 'not a database')
  const folder = join(path, '..')
  for (const each of [path, folder]) chmodSync(each, 0o755)

  t.throws(() => start(path), { name: 'StartError', message: /is damaged, or not a database/ })
  t.throws(() => start(folder), { name: 'StartError', message: /is a folder or a device; expected the path of a file/ })

  for (const each of [path, folder]) t.equal(statSync(each).mode & 0o777, 0o755)
  t.notOk(existsSync(`${folder}-lock`))
})

t.test('state file: a second process is told who has it, and the first goes on', async t => {
  const path = aPath(t)
  const child = fork(join(import.meta.dirname, 'holder.ts'), [path], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'message')

  t.throws(() => start(path), { name: 'StartError', message: `${path} is used by another process (pid ${child.pid})` })
  child.send('work')
  t.strictSame((await once(child, 'message'))[0], 'worked')

  child.kill('SIGKILL')
  await once(child, 'exit')
  const { file } = opened(t, () => undefined, { path })
  t.equal(file.process, 2, 'a kill leaves no lock behind')
})

t.test('state file: a second server of one process is refused, by whatever name, and takes no lock away', async t => {
  const { path } = opened(t, () => undefined)
  const link = aPath(t)
  symlinkSync(path, link)

  for (const name of [path, link, path])
    t.throws(() => start(name), { message: `is used by another process (pid ${process.pid})` })
})

t.test('state file: a link to a file that is still to come has the lock of that file', async t => {
  const path = aPath(t)
  const link = aPath(t)
  symlinkSync(path, link)
  opened(t, () => undefined, { path: link })

  t.throws(() => start(path), { message: `is used by another process (pid ${process.pid})` })
})

t.test('state file: a state that is given to a second server stays with the first', async t => {
  const { file, store } = opened(t, file => new SqliteTasks(file))
  const state = { ...memory(), tasks: store }

  await t.rejects(startState(state, aContext().context), { message: /belongs to a server already/ })

  store.create(aTask({ id: 'kept' }))
  t.ok(store.find('kept'))
  t.strictSame(file.problems(), [])
})

t.test('state file: whoever removes the lock, too, lets nobody else in', async t => {
  const { store, path } = opened(t, file => new SqliteTasks(file))
  for (const end of ['', '-wal', '-shm', '-lock']) rmSync(path + end)
  await eventually(() => existsSync(path) && existsSync(`${path}-lock`), 'both are there again')

  await t.rejects(async () => start(path), { message: `is used by another process (pid ${process.pid})` })
  store.create(aTask())
})

t.test('state file: a process that finds its lock with another one stops to use the file', async t => {
  const { file, store, path, logged } = opened(t, file => new SqliteTasks(file))
  renameSync(`${path}-lock`, `${path}-lost`)
  const lock = new FileLock()
  lock.take(path)
  t.teardown(() => lock.release())

  await eventually(() => file.problems().length > 0, 'it is found')

  t.throws(() => store.create(aTask()), unavailable)
  lock.release()
  await eventually(() => file.problems().length === 0, 'it goes on')
  store.create(aTask())
  t.strictSame(
    logged.map(({ level }) => level),
    ['error', 'info'],
  )
})

t.test('state file: whoever backs it up may read it while a server runs', async t => {
  const { path, store } = opened(t, file => new SqliteTasks(file))
  store.create(aTask({ id: 'kept' }))
  const copy = aPath(t)

  other(t, path).exec(`VACUUM INTO '${copy}'`)
  store.create(aTask({ id: 'later' }))

  const { store: restored } = opened(t, file => new SqliteTasks(file), { path: copy })
  t.ok(restored.find('kept'))
  t.equal(restored.find('later'), undefined)
})

t.test('state file: nothing is printed of a module that Node calls experimental', async t => {
  const child = fork(join(import.meta.dirname, 'holder.ts'), [aPath(t)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  t.teardown(() => child.kill('SIGKILL'))
  let printed = ''
  child.stderr!.on('data', chunk => (printed += chunk))
  await once(child, 'message')
  child.send('end')
  await once(child, 'close')

  t.equal(printed, '')
})

t.test('state file: what is not a database is refused at the start, and stays as it is', async t => {
  const path = aPath(t)
  writeFileSync(path, 'garbage '.repeat(1000))

  t.throws(() => start(path), { name: 'StartError', message: /\.db is damaged, or not a database\. Move it away/ })

  t.equal(readFileSync(path, 'utf8'), 'garbage '.repeat(1000))
})

t.test('state file: damage in its middle is found at the start', async t => {
  const path = filled(t)
  damage(path)

  t.throws(() => start(path), { name: 'StartError', message: /is damaged.*Move it away/ })
})

t.test('state file: the database of another program is refused, and not touched', async t => {
  const path = aPath(t)
  other(t, path).exec('CREATE TABLE theirs (a)')

  t.throws(() => start(path), { name: 'StartError', message: /is the database of another program/ })

  t.strictSame(
    other(t, path)
      .prepare('SELECT name FROM sqlite_master')
      .all()
      .map(({ name }) => name),
    ['theirs'],
  )
})

t.test('state file: a folder that is not there, or may not be written, is named', async t => {
  t.throws(() => start(join(aPath(t), 'state.db')), {
    name: 'StartError',
    message: /^the folder .* is missing; make it first$/,
  })
  const path = filled(t)
  // Root may write whatever the mode says.
  if (process.getuid?.() !== 0) {
    chmodSync(path, 0o400)
    t.throws(() => start(path), { name: 'StartError', message: /cannot be opened/ })
  }
})

t.test('state file: the file of a newer version is refused', async t => {
  const path = filled(t)
  other(t, path).exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`)

  t.throws(() => start(path), { name: 'StartError', message: /was written by a newer Toolrack/ })
})

t.test('state file: one of an older version is brought up to date, and keeps what it has', async t => {
  const path = filled(t)
  const database = other(t, path)

  migrate(database, path, [...MIGRATIONS, 'CREATE TABLE later (a); INSERT INTO later SELECT id FROM tasks'])

  t.equal(database.prepare('PRAGMA user_version').get()?.['user_version'], MIGRATIONS.length + 1)
  t.equal(database.prepare('SELECT count(*) AS count FROM later').get()?.['count'], 200)
})

t.test('state file: a migration that fails leaves the file as it was', async t => {
  const path = filled(t)
  const database = other(t, path)

  t.throws(() => migrate(database, path, [...MIGRATIONS, 'CREATE TABLE later (a)', 'NONSENSE']))

  t.equal(database.prepare('PRAGMA user_version').get()?.['user_version'], MIGRATIONS.length)
  t.throws(() => database.exec('SELECT * FROM later'))
  const { store } = opened(t, file => new SqliteTasks(file), { path })
  t.ok(store.find('task-0'))
})

t.test('state file: the secret is that of the first start', async t => {
  const path = aPath(t)
  const secrets: string[] = []
  for (let turn = 0; turn < 3; turn++) {
    const { file, store } = opened(t, file => new SqliteSecret(file), { path })
    store.follow(secret => secrets.push(secret))
    file.close()
  }

  t.equal(secrets[0]?.length, 43)
  t.equal(new Set(secrets).size, 1)
})

t.test('state file: damage in a running server is told once; what is sound goes on', async t => {
  const path = filled(t)
  const { file, store, logged } = opened(
    t,
    file => ({ tasks: new SqliteTasks(file), sessions: new SqliteSessions(file) }),
    { path },
  )
  const { id } = store.sessions.open(OPENING)
  other(t, path).exec('PRAGMA wal_checkpoint(TRUNCATE)')
  damage(path)

  const refused = Array.from({ length: 200 }, (_, n) => {
    try {
      store.tasks.find(`task-${n}`)
    } catch (error) {
      return error
    }
    return undefined
  }).filter(error => error !== undefined)

  t.not(refused.length, 0)
  for (const error of refused) t.match(error, unavailable)
  t.match(file.problems(), [/the file of the state is damaged/])
  t.equal(logged.filter(({ level }) => level === 'error').length, 1)
  t.ok(store.sessions.find(id), 'a page that is sound is read')

  // What the log of the server asks for.
  renameSync(path, `${path}.damaged`)
  await eventually(() => file.problems().length === 0, 'another file is begun')
  t.equal(store.tasks.find('task-1'), undefined)
  store.tasks.create(aTask({ id: 'new' }))
  t.ok(store.tasks.find('new'))
  t.match(logged.at(-1), { level: 'info', sentence: /another one is used now/ })
})

t.test('state file: one that is removed is begun again, with the same secret', async t => {
  const { file, store, path } = opened(t, file => ({ tasks: new SqliteTasks(file), secret: new SqliteSecret(file) }))
  const secrets: string[] = []
  store.secret.follow(secret => secrets.push(secret))
  for (const end of ['', '-wal', '-shm']) rmSync(path + end)

  await eventually(() => existsSync(path) && statSync(path).size > 0, 'it is there again')
  await eventually(() => file.problems().length === 0, 'it works')
  store.tasks.create(aTask())
  file.close()

  const { store: next } = opened(t, file => new SqliteSecret(file), { path })
  next.follow(secret => secrets.push(secret))
  t.equal(new Set(secrets).size, 1)
})

t.test('state file: while another program has it locked, writes are refused at once and reads go on', async t => {
  const { file, store, path, logged } = opened(t, file => new SqliteTasks(file))
  store.create(aTask({ id: 'kept' }))
  const program = other(t, path)
  program.exec('BEGIN IMMEDIATE')

  t.throws(() => store.create(aTask()), unavailable)
  const startMs = performance.now()
  for (let n = 0; n < 20; n++) t.throws(() => store.create(aTask()), unavailable)
  t.ok(performance.now() - startMs < 1000, 'none of them waits')
  t.ok(store.find('kept'))
  t.match(file.problems(), [/another program has locked the file/])

  program.exec('COMMIT')
  await eventually(() => file.problems().length === 0, 'it works again')
  store.create(aTask())
  t.strictSame(
    logged.map(({ level }) => level),
    ['error', 'info'],
  )
})

t.test('state file: its log is bounded, too, however long another program reads', async t => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const beat = () => mock.timers.tick(1000)
  const maxBytes = 1024 * 1024
  const { file, store, path, logged } = opened(t, file => new SqliteTasks(file), { maxBytes })
  const program = other(t, path)
  program.exec('BEGIN')
  program.prepare('SELECT * FROM tasks').all()
  const work = () => {
    const task = aTask({ tool: 'x'.repeat(10_000) })
    store.create(task)
    store.remove(task.id)
  }
  while (statSync(`${path}-wal`).size <= maxBytes) work()

  for (let beats = 0; beats < 3; beats++) {
    beat()
    t.throws(work, unavailable)
  }
  t.equal(logged.length, 1, 'it is not taken for sound in between')

  program.exec('COMMIT')
  beat()
  work()
  t.strictSame(file.problems(), [])
})

/** @returns the path of a file with 200 tasks, which no server has open */
function filled(t: Test): string {
  const path = aPath(t)
  const file = new StateFile({ path })
  const tasks = new SqliteTasks(file, { maxShareOfFree: 1e9 })
  file.start(aContext().context)
  for (let n = 0; n < 200; n++) tasks.create(aTask({ id: `task-${n}`, tool: 'x'.repeat(1000) }))
  file.close()
  return path
}

/** Overwrites the pages of tasks, which come last. */
function damage(path: string): void {
  const descriptor = openSync(path, 'r+')
  const { size } = statSync(path)
  const from = Math.floor(size / 2 / 4096) * 4096
  writeSync(descriptor, Buffer.alloc(size - from, 0xa5), 0, size - from, from)
}
