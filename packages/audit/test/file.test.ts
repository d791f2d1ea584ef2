// The file of the audit: what waits, what is lost, and what happens when it is moved or removed.
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../../../test/support/eventually.ts'
import { fakeLog } from '../../../test/support/fakes.ts'
import { AuditFile, MAX_WAITING } from '../src/file.ts'
import { assertAuditFile } from '../src/open-file.ts'

// They wait for the next look at the file.
t.jobs = 8

/** @param before the content of the file */
function opened(t: Test, before?: string) {
  const root = mkdtempSync(join(tmpdir(), 'toolrack-audit-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const path = join(root, 'logs', 'audit.log')
  mkdirSync(dirname(path))
  if (before !== undefined) writeFileSync(path, before)
  const log = fakeLog()
  const told = { lost: 0, restored: 0 }
  const file = new AuditFile({
    path,
    log,
    onLost: lines => (told.lost += lines),
    onRestored: lost => (told.restored += lost),
  })
  const has = (text: string) =>
    until(() => existsSync(path) && readFileSync(path, 'utf8') === text, `the file has ${JSON.stringify(text)}`)
  return { path, file, log, told, has }
}

const texts = ({ lines }: ReturnType<typeof fakeLog>) => lines.map(({ text }) => text)

t.test('lines are added, in their order, and all are there when it is closed', async t => {
  const { path, file, told } = opened(t, 'before\n')
  const lines = Array.from({ length: 5000 }, (_, n) => `line ${n} ${'x'.repeat(n % 300)}\n`)
  for (const line of lines) t.ok(file.write(line))
  await file.close()
  t.equal(readFileSync(path, 'utf8'), `before\n${lines.join('')}`)
  t.strictSame(told, { lost: 0, restored: 0 })
})

t.test('half a line of a process that was killed gets its end', async t => {
  const { file, has } = opened(t, 'whole\nhalf')
  file.write('next\n')
  await has('whole\nhalf\nnext\n')
  await file.close()
})

t.test('after a rotation it goes on at its path, and the lines before are in the file that was moved', async t => {
  const { path, file, has } = opened(t)
  file.write('one\n')
  await has('one\n')
  renameSync(path, `${path}.1`)
  file.write('two\n')
  file.reopen()
  file.write('three\n')
  await file.close()
  t.equal(readFileSync(`${path}.1`, 'utf8') + readFileSync(path, 'utf8'), 'one\ntwo\nthree\n')
  t.match(readFileSync(path, 'utf8'), /three\n$/)
})

t.test('a file that was moved is noticed without a signal, and nothing is lost', async t => {
  const { path, file, told, has } = opened(t)
  file.write('one\n')
  await has('one\n')
  renameSync(path, `${path}.1`)
  await until(() => existsSync(path), 'it is opened again')
  file.write('two\n')
  await has('two\n')
  t.equal(told.lost, 0)
  await file.close()
})

t.test('O3: lines that went into a removed file are counted and told, and the next ones are written', async t => {
  const { path, file, log, told, has } = opened(t)
  rmSync(path)
  file.write('one\n')
  await until(() => existsSync(path), 'it is opened again')
  t.strictSame(told, { lost: 1, restored: 1 })
  t.match(file.problem, 'audit: lines are lost: 1 (the file was removed)')
  t.ok(file.takesMore, 'it is written again')
  t.strictSame(texts(log), ['audit lines are lost', 'audit file opened again'])
  file.write('two\n')
  await has('two\n')
  await file.close()
})

t.test('while it cannot be opened its lines wait, and then all are there', async t => {
  const { path, file, log, told, has } = opened(t)
  rmSync(dirname(path), { recursive: true })
  file.reopen()
  t.notOk(file.takesMore)
  t.equal(file.problem, 'audit: it cannot be written (ENOENT); its lines wait')
  t.ok(file.write('one\n'))
  t.ok(file.write('two\n'))
  mkdirSync(dirname(path))
  await has('one\ntwo\n')
  await until(() => file.takesMore, 'it is well')
  t.equal(file.problem, undefined)
  t.strictSame(told, { lost: 0, restored: 0 })
  t.strictSame(texts(log), [
    'audit cannot be written; its lines wait',
    'audit file opened again',
    'audit is written again',
  ])
  await file.close()
})

t.test('O3: what is more than may wait is lost, counted, and told once', async t => {
  const { path, file, log, told, has } = opened(t)
  rmSync(dirname(path), { recursive: true })
  file.reopen()
  const line = `${'x'.repeat(MAX_WAITING / 4 - 1)}\n`
  for (let n = 0; n < 4; n++) t.ok(file.write(line))
  for (let n = 0; n < 3; n++) t.notOk(file.write('more\n'))
  t.equal(told.lost, 3)
  t.equal(texts(log).filter(text => text === 'audit lines are lost').length, 1)
  mkdirSync(dirname(path))
  await has(line.repeat(4))
  await until(() => told.restored === 3, 'the loss is told')
  t.match(file.problem, /^audit: lines are lost: 3 \(ENOENT\)/)
  await file.close()
})

t.test('what waits when it is closed, and cannot be written, is lost', async t => {
  const { path, file, told, log } = opened(t)
  rmSync(dirname(path), { recursive: true })
  file.reopen()
  file.write('one\n')
  file.write('two\n')
  await file.close()
  t.equal(told.lost, 2)
  t.match(log.lines.at(-1), { text: 'audit lines are lost', fields: { reason: 'ENOENT' } })
})

t.test('a process that ends at once has written its lines, in their order', async t => {
  const { path, file } = opened(t)
  await file.close()
  const lines = Array.from({ length: 10 }, (_, n) => `line ${n}\n`)
  const script = `
    import { AuditFile } from ${JSON.stringify(resolve('packages/audit/src/file.ts'))}
    const file = new AuditFile({ path: ${JSON.stringify(path)}, log: console, onLost() {}, onRestored() {} })
    for (const line of ${JSON.stringify(lines)}) file.write(line)
    process.exit()`

  for (let n = 1; n <= 5; n++) {
    execFileSync(process.execPath, ['--input-type=module', '-e', script])
    t.equal(readFileSync(path, 'utf8'), lines.join('').repeat(n))
  }
})

t.test('tries to open it on a full disk, behind half a line, keep no descriptor', async t => {
  const { path, file } = opened(t)
  await file.close()
  // Beyond the largest size, so that nothing can be added to it.
  writeFileSync(path, 'half '.repeat(10_000))
  const script = `
    import { openSync } from 'node:fs'
    import { openAuditFile } from ${JSON.stringify(resolve('packages/audit/src/open-file.ts'))}
    const next = openSync('/dev/null')
    const codes = new Set()
    for (let n = 0; n < 10; n++) try { openAuditFile(${JSON.stringify(path)}) } catch ({ code }) { codes.add(code) }
    console.log([...codes].join(), openSync('/dev/null') - next)`
  const limited = 'trap "" XFSZ; ulimit -f 8; exec "$0" --input-type=module -e "$1"'

  t.equal(execFileSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' }), 'EFBIG 1\n')
})

t.test('a pipe that was checked keeps its writer until the audit has it open: its reader stays', async t => {
  const { path, file } = opened(t)
  await file.close()
  const pipe = `${path}.pipe`
  execFileSync('mkfifo', [pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const read = () => readSync(reader, Buffer.alloc(1), 0, 1, null)

  const close = assertAuditFile(pipe, 'AUDIT_FILE')

  t.throws(read, { code: 'EAGAIN' }, 'it waits for lines')
  close()
  t.equal(read(), 0, 'the end')
  closeSync(reader)
})
