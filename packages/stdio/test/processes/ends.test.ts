// How a server on stdin and stdout begins and ends: no port, settings that do nothing, and its client's end.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runPiped } from '../../../../test/support/command-line.ts'
import { until } from '../../../../test/support/eventually.ts'
import { request } from '../../../../test/support/request.ts'
import { serverProgram } from '../../../../test/support/servers/program.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'

t.jobs = 3

const SUM = `export default { name: 'sum', handler: ({ a }) => 'sum' }`
const call = (name: string) => `${JSON.stringify(request('tools/call', { name }, { id: name }).message)}\n`

/** Says by a file that it runs, and goes on until the other is there. */
const held = (folder: string) => `import { existsSync, writeFileSync } from 'node:fs'
export default { name: 'held', async handler() {
  writeFileSync(${JSON.stringify(join(folder, 'begun'))}, '')
  while (!existsSync(${JSON.stringify(join(folder, 'open'))})) await new Promise(done => setTimeout(done, 20))
  return 'finished'
} }`

function start(t: Test, files: Record<string, string>, env: Record<string, string> = {}) {
  const folder = tempFolder(t, files)
  const child = spawn(process.execPath, [serverProgram(), 'start', '--stdio', folder.path], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const seen = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => (seen.stdout += chunk))
  child.stderr.on('data', chunk => (seen.stderr += chunk))
  child.stdin.on('error', () => {})
  return { child, seen, exited: once(child, 'close') }
}

t.test('messages that are piped in are answered, and nothing listens', async t => {
  const folder = tempFolder(t, { 'sum.mjs': SUM })
  const env = { JWT_SECRET: 'x'.repeat(40), PORT: '1', METRICS_PORT: '1', LOG_LEVEL: 'info' }
  const ended = await runPiped(t, ['start', '--stdio', folder.path], { env, input: call('sum') })

  t.equal(ended.code, 0)
  t.match(JSON.parse(ended.stdout), { id: 'sum', result: { content: [{ text: 'sum' }] } })
  t.match(ended.stderr, /"settings":\["JWT_SECRET"\],"msg":"stdio asks for no token: these settings do nothing"/)
  t.match(ended.stderr, /"endpoint":"stdin and stdout".*"msg":"started"/)
})

t.test('a wrong setting is said on stderr, and stdout stays empty', async t => {
  const ended = await runPiped(t, ['start', '--stdio', '--log-level', 'loud'])
  t.equal(ended.code, 2)
  t.match(ended.stderr, /--log-level/)
  t.equal(ended.stdout, '')
})

t.test('a call under way is answered after the end of stdin', async t => {
  const gate = tempFolder(t)
  const { child, seen, exited } = start(t, { 'held.mjs': held(gate.path) }, { DRAIN_MS: `${2 ** 31 - 1}` })
  child.stdin.end(call('held'))
  await until(() => existsSync(join(gate.path, 'begun')), 'the call began')
  await until(() => seen.stderr.includes('draining'), 'it drains')
  gate.write({ open: '' })
  t.strictSame(await exited, [0, null])
  t.match(JSON.parse(seen.stdout), { result: { content: [{ text: 'finished' }] } })
})

t.test('SIGTERM drains, and the last answer is written whole', async t => {
  const gate = tempFolder(t)
  const large = held(gate.path).replace("'finished'", "'x'.repeat(1_000_000)")
  const { child, seen, exited } = start(t, { 'held.mjs': large }, { DRAIN_MS: '60000' })
  child.stdin.write(call('held'))
  await until(() => existsSync(join(gate.path, 'begun')), 'the call began')
  child.kill('SIGTERM')
  await until(() => seen.stderr.includes('draining'), 'it drains')
  gate.write({ open: '' })
  t.strictSame(await exited, [0, null])
  t.equal(JSON.parse(seen.stdout).result.content[0].text.length, 1_000_000)
})

t.test('a client that reads no more ends the server', async t => {
  const { child, seen, exited } = start(t, { 'sum.mjs': SUM })
  await until(() => seen.stderr.includes('started'), 'it started')
  child.stdout.destroy()
  child.stdin.write(call('sum'))
  child.stdin.write(call('sum'))
  t.strictSame(await exited, [0, null])
  t.match(seen.stderr, /"reason":"stdout is closed"/)
})

t.test('what tools do to stdin and stdout does not reach the messages', async t => {
  const meddles = `import { once } from 'node:events'
import { stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
export default { name: 'meddles', async handler() {
  for (const input of [stdin, process.stdin]) {
    input.setEncoding('utf8')
    createInterface({ input, output: stdout }).close()
  }
  const large = Readable.from(Array.from({ length: 300 }, () => 'x'.repeat(10_000)))
  large.pipe(process.stdout)
  await once(large, 'end')
  stdout.end('it ends')
  return 'meddled'
} }`
  const { child, seen, exited } = start(t, { 'meddles.mjs': meddles, 'sum.mjs': SUM })
  child.stdin.write(call('meddles'))
  await until(() => seen.stdout.includes('meddled'), 'the answer')
  child.stdin.end(call('sum'))
  t.strictSame(await exited, [0, null])
  const lines = seen.stdout.trim().split('\n')
  t.match(
    lines.map(line => JSON.parse(line)),
    [{ id: 'meddles' }, { id: 'sum', result: { content: [{ text: 'sum' }] } }],
  )
  t.match(seen.stderr, /it ends/)
})

t.test('nobody need read stderr', async t => {
  const logs = `export default { name: 'logs', handler() {
    for (let at = 0; at < 2000; at++) console.error('x'.repeat(1000))
    return 'logged'
  } }`
  const folder = tempFolder(t, { 'logs.mjs': logs })
  const child = spawn(process.execPath, [serverProgram(), 'start', '--stdio', folder.path], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  })
  t.teardown(() => child.kill('SIGKILL'))
  child.stdin.write(call('logs'))
  const [answer] = await once(child.stdout, 'data')
  t.match(JSON.parse(String(answer)), { result: { content: [{ text: 'logged' }] } })
  child.stdin.end()
  t.strictSame(await once(child, 'exit'), [0, null])
})
