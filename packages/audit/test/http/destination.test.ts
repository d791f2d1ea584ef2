// Where the audit goes: a file that is complete when the process ends, the place of the log, or nowhere.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createServer, type ServerOptions } from '../../../../src/index.ts'
import { call, jsonLines } from '../../../../test/support/app.ts'
import { TOOLS } from '../../../../test/support/audited.ts'
import { until } from '../../../../test/support/security/hostile.ts'
import { callOver, serve } from '../../../../test/support/servers/own-process.ts'
import { shedNoLoad } from '../../../../test/support/shed-no-load.ts'

function temp(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-audit-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into lines freely
const linesOf = (path: string): any[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

/** Serves one call. @returns the lines of the log */
async function serveOne(t: Test, options: ServerOptions) {
  const { lines, stream } = jsonLines()
  const app = shedNoLoad(await createServer({ tools: TOOLS, logStream: stream, ...options }))
  t.teardown(() => app.close())
  await call(app, 'tools/call', { name: 'fine', arguments: {} })
  await app.close()
  return lines.filter(line => 'outcome' in line)
}

t.test('audit: AUDIT_FILE is added to, for its owner only, and whole when the server has closed', async t => {
  const path = join(temp(t), 'audit.log')

  for (let n = 0; n < 2; n++) t.match(await serveOne(t, { audit: { file: path } }), [{ msg: 'served', level: 30 }])

  const lines = linesOf(path)
  t.match(lines, [{ tool: 'fine' }, { event: 'chain-ended' }, { tool: 'fine' }, { event: 'chain-ended' }])
  t.strictSame(
    lines.map(({ seq }) => seq),
    [1, 2, 1, 2],
  )
  t.not(lines[0].chain, lines[2].chain, 'each process has a chain of its own')
  t.equal(statSync(path).mode & 0o777, 0o600)
})

t.test('audit: beside the log one line says it; the log says it again only where it is asked for details', async t => {
  t.match(await serveOne(t, {}), [{ msg: 'audit' }])
  t.strictSame(await serveOne(t, { logLevel: 'warn' }), [])
  t.match((await serveOne(t, { logLevel: 'debug' })).map(({ msg }) => msg).toSorted(), ['audit', 'served'])
  t.strictSame(await serveOne(t, { logLevel: 'silent' }), [])
})

t.test('audit: a server that is silent still writes the file that it was given', async t => {
  const path = join(temp(t), 'audit.log')

  t.strictSame(await serveOne(t, { audit: { file: path }, logLevel: 'silent' }), [])

  t.match(linesOf(path), [{ tool: 'fine' }])
})

t.test('audit: a file that cannot be opened stops the start, and is named', async t => {
  const folder = temp(t)
  writeFileSync(join(folder, 'file'), '')

  for (const auditFile of [folder, join(folder, 'none', 'audit.log'), join(folder, 'file', 'x')])
    await t.rejects(createServer({ audit: { file: auditFile } }), {
      name: 'ConfigError',
      message: /^audit\.file: expected a file/,
    })
  const refused = await serve(t, {}, { AUDIT_FILE: folder }).catch((error: Error) => error.message)

  t.match(refused, /^did not start: AUDIT_FILE: expected a file that can be added to; \S+: EISDIR\n$/)
})

t.test('audit: SIGTERM ends the process with every line in the file, also of the call that it waited for', async t => {
  const path = join(temp(t), 'audit.log')
  const slow = `export default { name: 'slow', async handler(_args, ctx) {
    ctx.log.info('started')
    await new Promise(done => setTimeout(done, 300))
    return 'finished'
  } }`
  const server = await serve(t, { 'slow.mjs': slow }, { AUDIT_FILE: path, RATE_LIMIT_MAX: '100000' })
  const underWay = callOver(server.url, 'slow')
  await until(() => server.lines.some(({ msg }) => msg === 'tool log'), 'it started')
  for (let n = 0; n < 10; n++) await Promise.all(Array.from({ length: 50 }, () => callOver(server.url, 'probe')))

  server.child.kill('SIGTERM')

  await underWay
  t.equal(await server.exited, 0)
  const lines = linesOf(path)
  t.equal(lines.filter(({ tool }) => tool === 'probe').length, 500)
  t.match(
    lines.find(({ tool }) => tool === 'slow'),
    { outcome: 'ok' },
  )
  t.equal(server.lines.filter(({ msg }) => msg === 'audit').length, 0)
})

t.test(
  'audit: on a full disk lines wait, and are lost at the end, which the log says once; no call fails',
  { skip: !isThere('/dev/full') },
  async t => {
    const { lines, stream } = jsonLines()
    const options = { tools: TOOLS, logStream: stream, logLevel: 'error', audit: { file: '/dev/full' } } as const
    const app = shedNoLoad(await createServer(options))
    t.teardown(() => app.close())

    for (let n = 0; n < 20; n++)
      t.match(await call(app, 'tools/call', { name: 'fine', arguments: {} }), { status: 200 })
    await until(() => lines.length > 0, 'it is said')
    await app.close()

    t.match(lines, [
      { msg: 'audit cannot be written; its lines wait', reason: 'ENOSPC' },
      { msg: 'audit lines are lost', reason: 'ENOSPC' },
    ])
  },
)

t.test('audit: a pipe whose reader has gone costs lines, and neither a call nor the end', async t => {
  const path = join(temp(t), 'pipe')
  execFileSync('mkfifo', [path])
  await t.rejects(
    createServer({ audit: { file: path } }),
    { message: /ENXIO$/ },
    'nobody reads, and the start does not wait',
  )
  const reader = spawn('head', ['-n', '1', path], { stdio: ['ignore', 'pipe', 'ignore'] })
  const gone = once(reader, 'exit')
  const { lines, stream } = jsonLines()
  const options = { tools: TOOLS, logStream: stream, logLevel: 'error', audit: { file: path } } as const
  const start = async () => shedNoLoad(await createServer(options))
  let app: Awaited<ReturnType<typeof start>> | undefined
  for (let turn = 0; app === undefined && turn < 1500; turn++) {
    app = await start().catch(() => undefined)
    if (app === undefined) await new Promise(resolve => setTimeout(resolve, 20))
  }

  await call(app!, 'tools/call', { name: 'fine', arguments: {} })
  await gone
  for (let n = 0; n < 5; n++) await call(app!, 'tools/call', { name: 'fine', arguments: {} })
  await until(() => lines.length > 0, 'it is said')
  await app!.close()

  t.match(lines, [
    { msg: 'audit cannot be written; its lines wait', reason: 'EPIPE' },
    { msg: 'audit lines are lost', reason: 'EPIPE' },
  ])
})

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
