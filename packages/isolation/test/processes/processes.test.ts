// The processes of isolated tools beside the server's: what they share with it, and that none
// outlives it.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import t, { type Test } from 'tap'
import { type App, build, callTool } from '../../../../test/support/app.ts'
import { ABLE } from '../../../../test/support/input/rounds.ts'
import { request } from '../../../../test/support/request.ts'
import { until } from '../../../../test/support/security/hostile.ts'
import { callOver, serve as serveProcess } from '../../../../test/support/servers/own-process.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'

const SOURCE = `import { readdirSync, readlinkSync } from 'node:fs'
const linkOf = fd => { try { return readlinkSync('/proc/self/fd/' + fd) } catch { return '' } }
const tool = (name, handler) => ({ name, isolate: true, handler })
export default [
  tool('fine', () => String(process.pid)),
  tool('waits', (_args, { log }) => {
    log.info({ pid: process.pid })
    return new Promise(() => setInterval(() => {}, 1000))
  }),
  tool('stops', (_args, { log }) => {
    const told = new Promise(done => process.on('SIGCONT', () => done('done')))
    log.info({ pid: process.pid })
    return told
  }),
  tool('loops', (_args, { log }) => { log.info({ pid: process.pid }); for (;;); }),
  tool('files', () => readdirSync('/proc/self/fd').map(linkOf).join('\\n')),
  tool('asks', async (_args, { elicit }) => (await elicit('key', null)).action),
  tool('prints', () => { console.log('to stdout'); console.error('to stderr'); return 'done' }),
  tool('hoards', () => { const a = []; for (;;) a.push(new Array(1000).fill(0)) }),
]`

const LINUX_ONLY = process.platform === 'linux' ? false : 'SKIPPED: what a process is doing is found in /proc'

const serve = (t: Test) => build(t, { toolsDir: tempFolder(t, { 'tools.mjs': SOURCE }).path, watchTools: false })
const textOf = async (app: App, name: string) => (await callTool(app, name)).content[0].text

/** The ids that handlers have logged. */
const idsIn = (lines: readonly { entry?: { pid?: number } }[]) => lines.flatMap(({ entry }) => entry?.pid ?? [])

function linkOf(fd: string | number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}

/** A process that nobody has asked about after its end is still there, dead. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

t.test('processes: none outlives a server that closes, busy or idle', { skip: LINUX_ONLY }, async t => {
  const app = await serve(t)
  const idle = Number(await textOf(app, 'fine'))
  const calling = callTool(app, 'loops')
  await until(() => idsIn(app.logs.lines).length === 1, 'it loops')
  const other = Number(await textOf(app, 'fine'))

  await app.close()

  t.match(await calling, { isError: true })
  for (const pid of [idle, other, ...idsIn(app.logs.lines)]) t.notOk(isAlive(pid))
})

t.test('processes: none outlives a server that is killed, whatever it is doing', { skip: LINUX_ONLY }, async t => {
  for (const tool of ['waits', 'loops']) {
    const server = await serveProcess(t, { 'tools.mjs': SOURCE })
    callOver(server.url, tool).catch(() => {})
    await until(() => idsIn(server.lines).length === 1, 'it has begun')
    const [pid] = idsIn(server.lines) as [number]
    t.ok(isAlive(pid), tool)

    server.child.kill('SIGKILL')

    await until(() => !isAlive(pid), `the process that ${tool} has ended`)
  }
})

t.test('processes: one that nobody uses does not keep the server’s alive', async t => {
  const { path } = tempFolder(t, { 'tools.mjs': SOURCE })
  const { message, headers } = request('tools/call', { name: 'fine', arguments: {} })
  const injected = { method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message) }
  const program = `import { createServer } from ${JSON.stringify(new URL('../../../../src/index.ts', import.meta.url).href)}
const app = await createServer({ toolsDir: ${JSON.stringify(path)}, watchTools: false, logLevel: 'error' })
console.log((await app.inject(${JSON.stringify(injected)})).body)`
  // The processes of its tools must not run the program, nor listen for its debugger.
  const flags = ['--inspect=0', '--input-type', 'module', '-e', program]

  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  let [stdout, stderr] = ['', '']
  let answeredMs = 0
  child.stdout.on('data', chunk => {
    stdout += chunk
    answeredMs = performance.now()
  })
  child.stderr.on('data', chunk => (stderr += chunk))
  const [code] = await once(child, 'close')

  t.equal(code, 0)
  // Sooner than an idle process is ended.
  t.ok(performance.now() - answeredMs < 20_000)
  t.match(stdout, /"content":\[\{"type":"text","text":"\d+"/)
  t.equal(stderr.match(/Debugger listening/g)?.length, 1)
})

t.test('processes: signals to the group of the server end no call', async t => {
  const app = await serve(t)
  const calling = callTool(app, 'stops')
  await until(() => idsIn(app.logs.lines).length === 1, 'it has begun')
  const [pid] = idsIn(app.logs.lines) as [number]

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGCONT']) process.kill(pid, signal)

  t.equal((await calling).content[0].text, 'done')
})

t.test('processes: they share no file, pipe or socket with the server', { skip: LINUX_ONLY }, async t => {
  const app = await serve(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const inherited = new Set([0, 1, 2].map(linkOf))
  // Others may have been opened by whoever started this process, and left for its children.
  const isOwn = (link: string) => link !== '/dev/null' && (inherited.has(link) || link.startsWith('socket:'))
  const own = new Set(readdirSync('/proc/self/fd').map(linkOf).filter(isOwn))
  t.ok(own.size > 0)

  const links = (await textOf(app, 'files')).split('\n')

  t.strictSame(
    links.filter((link: string) => own.has(link)),
    [],
  )
})

t.test('processes: what a handler prints, the server prints; what V8 says of its end, nobody', async t => {
  const server = await serveProcess(t, { 'tools.mjs': SOURCE })

  await callOver(server.url, 'prints')
  await callOver(server.url, 'hoards')

  await until(() => server.lines.some(({ msg }) => msg === 'worker ended before its tool'), 'it is logged')
  t.match(server.stdout, /^to stdout$/m)
  t.match(server.stdout, /^to stderr$/m)
  t.notMatch(server.stdout, /Mark-Compact|Native stack trace/)
  t.match(
    server.lines.find(({ msg }) => msg === 'worker ended before its tool'),
    { tool: 'hoards', reason: /^FATAL ERROR: .* heap out of memory$/ },
  )
})

t.test('processes: one that cannot be started fails its call, and the next one is tried', async t => {
  const app = await serve(t)
  const { execPath } = process
  t.teardown(() => (process.execPath = execPath))
  process.execPath = '/nowhere/node'

  t.match(await callTool(app, 'fine'), {
    isError: true,
    content: [{ text: 'fine could not start the process that it runs in' }],
  })
  process.execPath = execPath
  t.ok(Number(await textOf(app, 'fine')) > 0)
})

t.test('processes: without descriptors for another one a call fails, and nothing else', async t => {
  const program = `import { openSync } from 'node:fs'
import { Pool } from ${JSON.stringify(new URL('../../src/pool.ts', import.meta.url).href)}
const pool = new Pool({ maxMessageLength: 1000, maxProcesses: 2, onFault() {} })
try { for (;;) openSync(process.execPath) } catch {}
const child = pool.take({ url: 'file:///tool.mjs', root: undefined }, [])
child.use({ onMessage() {}, onEnd(ending) { pool.close().then(() => console.log(JSON.stringify(ending))) } })`
  const limited = ['-c', 'ulimit -n 200; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', program]

  const { stdout, status } = spawnSync('/bin/sh', limited, { encoding: 'utf8' })

  t.equal(status, 0)
  t.match(JSON.parse(stdout), { hasStarted: false, how: /EMFILE$/ })
})

t.test('processes: a question that is none is the error of its handler', async t => {
  const app = await serve(t)

  t.match(await callTool(app, 'asks', {}, { capabilities: ABLE }), { isError: true })
  t.ok(Number(await textOf(app, 'fine')) > 0)
})
