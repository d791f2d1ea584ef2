// The audit of a real process: rotated by a signal, and its chain verified by the command.
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { runPiped } from '../../../../../test/support/command-line.ts'
import { until } from '../../../../../test/support/eventually.ts'
import { callOver, serve } from '../../../../../test/support/servers/own-process.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'
import { hashLine } from '../../../../audit/src/chain.ts'

const verify = (t: Test, ...args: readonly string[]) => runPiped(t, ['audit', 'verify', ...args])
const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')

/** Serves calls, has its file rotated in their midst, and ends. @returns the files, the older first */
async function rotated(t: Test, { signal = 'SIGTERM' as NodeJS.Signals } = {}): Promise<[string, string]> {
  const { path: folder } = tempFolder(t, {}, 'audit')
  const path = join(folder, 'audit.log')
  const server = await serve(t, {}, { AUDIT_FILE: path })
  for (let n = 0; n < 5; n++) await callOver(server.url, 'probe')
  await until(() => lines(path).length === 5, 'their lines are there')
  renameSync(path, `${path}.1`)
  server.child.kill('SIGUSR2')
  await until(() => existsSync(path), 'it is opened again')
  for (let n = 0; n < 5; n++) await callOver(server.url, 'probe')
  await until(() => lines(path).length >= 5, 'its lines are there')
  server.child.kill(signal)
  await server.exited
  return [`${path}.1`, path]
}

t.test('SIGUSR2 has the file opened again; the chain goes on in it, and no call is lost', async t => {
  const files = await rotated(t)
  const records = files.flatMap(lines).map(line => JSON.parse(line))
  t.equal(records.filter(({ tool }) => tool === 'probe').length, 10)
  t.equal(new Set(records.map(({ chain }) => chain)).size, 1)
  t.ok(lines(files[0]).length >= 5 && lines(files[1]).length >= 5)

  const { code, stdout, stderr } = await verify(t, ...files)
  t.strictSame([code, stderr], [0, ''])
  t.match(stdout, new RegExp(`^CHAIN .*\\n${records[0].chain}  1–11 .* ended .*\\n11 records, 1 chain, 0 faults\\n$`))
  const { stdout: json } = await verify(t, ...files, '--json')
  const head = hashLine(lines(files[1]).at(-1)!)
  t.match(JSON.parse(json), { isIntact: true, records: 11, chains: [{ firstSeq: 1, lastSeq: 11, head }] })
})

t.test('SIGUSR2 while tools are loaded ends nothing', async t => {
  const signals = `import { execFileSync } from 'node:child_process'
    execFileSync('kill', ['-USR2', String(process.pid)])
    await new Promise(resolve => setImmediate(resolve))
    export default { name: 'signals', handler: () => 'done' }`
  const { path: folder } = tempFolder(t, {}, 'audit')
  const server = await serve(t, { 'signals.mjs': signals }, { AUDIT_FILE: join(folder, 'audit.log') })
  t.match((await callOver(server.url, 'signals')).body.result, { content: [{ text: 'done' }] })
})

t.test('verify: packed files, stdin, and a chain whose older files are gone', async t => {
  const [older, newer] = await rotated(t)
  writeFileSync(`${older}.gz`, gzipSync(readFileSync(older)))
  t.match(await verify(t, `${older}.gz`, newer), { code: 0 })

  const input = readFileSync(newer, 'utf8')
  t.match(await runPiped(t, ['audit', 'verify', '--continued', '-'], { input }), { code: 0, stdout: /0 faults\n$/ })
  const { code, stdout } = await verify(t, newer)
  t.equal(code, 1)
  t.match(stdout, /audit\.log:1 {2}chain \w+ begins with record \d+: .* older file, or were removed/)
})

t.test('O2: verify: the first line that is altered or missing is named, and the exit code is 1', async t => {
  const [older, newer] = await rotated(t)
  const [first, second, third, ...rest] = lines(older)
  writeFileSync(older, [first, second!.replace('"probe"', '"other"'), third, ...rest, ''].join('\n'))
  const altered = await verify(t, older, newer)
  t.equal(altered.code, 1)
  t.match(altered.stdout, /audit\.log\.1:2 {2}record 2 of chain \w+ is altered: record 3 at \S+audit\.log\.1:3/)
  t.equal(altered.stderr, 'The audit is not as it was written.\n')

  writeFileSync(older, [first, third, ...rest, ''].join('\n'))
  t.match(await verify(t, older, newer), { code: 1, stdout: /audit\.log\.1:2 {2}record 2 of chain \w+ is missing/ })
})

t.test('O2: verify: what is cut off at the end shows by the head that was kept, and by the end that lacks', async t => {
  const [older, newer] = await rotated(t)
  const head = hashLine(lines(newer).at(-1)!)
  t.match(await verify(t, older, newer, '--head', head), { code: 0 })
  writeFileSync(newer, `${lines(newer).slice(0, -2).join('\n')}\n`)

  t.match(await verify(t, older, newer), { code: 0, stdout: / open / })
  t.match(await verify(t, older, newer, '--head', head), {
    code: 1,
    stdout: new RegExp(`no record has the hash ${head}`),
  })
})

t.test('a process that was killed leaves an open chain; the next one begins its own behind half a line', async t => {
  const [, path] = await rotated(t, { signal: 'SIGKILL' })
  appendFileSync(path, '{"level":30,"time":17')
  t.match(await verify(t, '--continued', path), { code: 0, stdout: /audit\.log:\d+ {2}cut off/ })

  const server = await serve(t, {}, { AUDIT_FILE: path })
  await callOver(server.url, 'probe')
  server.child.kill('SIGTERM')
  await server.exited

  const { code, stdout } = await verify(t, '--continued', path)
  t.equal(code, 0, stdout)
  t.match(stdout, /audit\.log:\d+ {2}cut off, as by a crash.*\n\d+ records, 2 chains, 0 faults\n$/)
})

t.test('verify: the audit on stdout is a chain between the lines of the log', async t => {
  const server = await serve(t, {})
  await callOver(server.url, 'probe')
  await callOver(server.url, 'probe')
  await until(() => server.lines.filter(({ msg }) => msg === 'audit').length === 2, 'both are there')

  const { code, stdout } = await runPiped(t, ['audit', 'verify', '-'], { input: server.stdout })
  t.equal(code, 0, stdout)
  t.match(stdout, /\n2 records, 1 chain, 0 faults, \d+ other lines\n$/)
})

t.test('verify: another file, a missing file and a wrong hash are refused by name', async t => {
  const { path: folder } = tempFolder(t, { 'a.log': 'text\n' }, 'audit')
  const file = join(folder, 'a.log')
  t.match(await verify(t, file), { code: 1, stderr: /a\.log: expected records of an audit\n$/ })
  t.match(await verify(t, join(folder, 'none')), { code: 1, stderr: /none: ENOENT/ })
  t.match(await verify(t), { code: 2, stderr: /files/ })
  t.match(await verify(t, file, '--head', 'x'), { code: 2, stderr: '--head: expected 64 hexadecimal digits, not x\n' })
})

t.test('AUDIT_REQUIRED without AUDIT_FILE stops the start', async t => {
  const started = await serve(t, {}, { AUDIT_REQUIRED: 'true' }).catch((error: Error) => error.message)
  t.equal(started, 'did not start: AUDIT_REQUIRED: expected AUDIT_FILE beside it\n')
})
