// What the top level of a tool file leaves behind or asks for, in a process of its own.
import t, { type Test } from 'tap'
import { CANARY, until } from '../../support/security/hostile.ts'
import { callOver, type Process, start } from '../../support/servers/own-process.ts'
import { serverProgram } from '../../support/servers/program.ts'
import { type Files, tempFolder } from '../../support/tools-folder.ts'

t.jobs = 3

const IMPORTS = `import { EventEmitter } from 'node:events'
import net from 'node:net'
import { abort, exit, kill } from 'node:process'
`
const tool = (name: string, top: string) =>
  `${IMPORTS}${top}\nexport default { name: '${name}', description: 'Says that it is alive.', handler: () => 'alive' }`

async function serve(t: Test, files: Files): Promise<Process & { files: readonly string[] }> {
  const folder = tempFolder(t, { 'probe.mjs': tool('probe', ''), ...files })
  const server = await start(t, serverProgram(), { TOOLS_DIR: folder.path, WATCH_TOOLS: 'false' })
  return Object.assign(server, { files: Object.keys(files) })
}

const linesOf = (server: Process, file: string) => server.lines.filter(line => line.file?.endsWith(`/${file}`))

async function assertServes(t: Test, { url }: Process, name = 'probe') {
  t.equal((await callOver(url, name)).body.result.content[0].text, 'alive', name)
}

const LEFT: [what: string, top: string, reason?: RegExp][] = [
  [
    'a rejection that nobody awaits',
    `Promise.reject(new Error('left ' + process.env.SOME_API_KEY))`,
    /^left \[secret\]$/,
  ],
  ['a rejection behind an await', `await null\nPromise.reject(new Error('left'))`],
  ['a rejection of what was never awaited', `const ready = (async () => { await null; throw new Error('left') })()`],
  ['a timer that throws', `setTimeout(() => { throw new Error('left') }, 20)`],
  ['a microtask that throws', `queueMicrotask(() => { throw 'left' })`],
  ['a socket without a listener for its errors', `net.connect(1, '127.0.0.1')`, /ECONNREFUSED/],
  ['an error event that nobody hears', `setImmediate(() => new EventEmitter().emit('error', new Error('left')))`],
  ['a request that fails', `fetch('http://127.0.0.1:1/')`, /fetch failed/],
  ['process.exit in a timer', `setTimeout(() => process.exit(3), 20)`, /tried to end the process/],
  ['exit of node:process in a timer', `setTimeout(() => exit(3), 20)`, /tried to end the process/],
  ['process.abort in a timer', `setTimeout(() => process.abort(), 20)`, /tried to end the process/],
  [
    'a signal to itself in a timer',
    `setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20)`,
    /tried to end the process/,
  ],
]

t.test('D8: what the top level of a file leaves behind is logged with its name, and the process serves on', async t => {
  const server = await serve(
    t,
    Object.fromEntries(LEFT.map(([, top], each) => [`f${each}.mjs`, tool(`t${each}`, top)])),
  )

  for (const [each, [what, , reason = /^left$/]] of LEFT.entries()) {
    await until(() => linesOf(server, `f${each}.mjs`).length > 0, `${what} was logged`)
    const lines = linesOf(server, `f${each}.mjs`)
    t.match(lines, [{ level: 50, msg: 'unhandled error of a tool file', reason }], what)
    t.equal(lines.length, 1, what)
    await assertServes(t, server, `t${each}`)
  }
  const metrics = await (await fetch(new URL('/metrics', server.url))).text()
  t.match(metrics, /^toolrack_unhandled_errors_total\{tool="[^"]*\/f0\.mjs"\} 1$/m)
  t.notMatch(server.stdout, CANARY)
  server.child.kill('SIGTERM')
  t.equal(await server.exited, 0)
})

const leaves = `setTimeout(() => { throw new Error('left') }, 20)`
const PLACES: [what: string, files: Files, name: string][] = [
  ['TypeScript', { 'a.ts': `const text: string = 'left'\nPromise.reject(new Error(text))\n${tool('a', '')}` }, 'a.ts'],
  [
    'CommonJS',
    { 'a.js': `Promise.reject(new Error('left'))\nmodule.exports = { name: 'a', handler: () => 'alive' }` },
    'a.js',
  ],
  ['the index of a folder', { 'a/index.mjs': tool('a', leaves) }, 'a/index.mjs'],
  [
    'a helper, of the file that imports it first',
    {
      '_help.mjs': leaves,
      'a.mjs': tool('a', `import './_help.mjs'`),
      'b.mjs': tool('b', `import './_help.mjs'`),
    },
    'a.mjs',
  ],
  [
    'a file of a prompt',
    {
      'a.ts': `import { definePrompt } from 'toolrack'\n${leaves}\nexport default definePrompt({ name: 'a', handler: () => '' })`,
    },
    'a.ts',
  ],
  ['a file that does not load', { 'a.mjs': `${leaves}\nexport const nothing = 1` }, 'a.mjs'],
]

for (const [what, files, name] of PLACES) {
  t.test(`D8: what the top level leaves behind has the name of its file: ${what}`, async t => {
    const server = await serve(t, files)
    const reports = () => server.lines.filter(({ msg }) => msg === 'unhandled error of a tool file')
    await until(() => reports().length > 0, 'it was logged')

    t.match(reports(), [{ reason: 'left' }])
    t.ok(reports()[0].file.endsWith(`/${name}`))
    t.equal(reports().length, 1)
    await assertServes(t, server)
  })
}

const ENDS: [what: string, top: string][] = [
  ['process.exit', `process.exit(3)`],
  ['exit of node:process', `exit()`],
  ['process.exit behind an await', `await null\nprocess.exit(0)`],
  ['process.abort', `process.abort()`],
  ['abort of node:process', `abort()`],
  ['a signal to itself', `process.kill(process.pid)`],
  ['a signal to itself by kill of node:process', `kill(process.pid, 'SIGKILL')`],
  ['a signal to its group', `process.kill(0, 'SIGTERM')`],
]

t.test('D8: a file whose top level would end the process does not load; the others are served', async t => {
  const server = await serve(
    t,
    Object.fromEntries(ENDS.map(([, top], each) => [`f${each}.mjs`, tool(`t${each}`, top)])),
  )

  for (const [each, [what]] of ENDS.entries()) {
    const lines = linesOf(server, `f${each}.mjs`)
    t.match(lines, [{ level: 50, msg: /^tool file not loaded/, reason: /f\d\.mjs tried to end the process$/ }], what)
    t.equal(lines.length, 1, what)
  }
  await assertServes(t, server)
})

t.test(
  'D8: the code of the process is the server’s, and so is its end, whatever a file sets or listens to',
  async t => {
    const server = await serve(t, {
      'code.mjs': tool('code', `process.exitCode = 7`),
      'listens.mjs': tool(
        'listens',
        `for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})`,
      ),
      'looks.mjs': tool('looks', `process.kill(process.pid, 0)`),
    })
    for (const name of ['probe', 'code', 'listens', 'looks']) await assertServes(t, server, name)

    server.child.kill('SIGHUP')
    await until(() => server.lines.some(({ msg }) => msg === 'reloading'), 'it reloads')
    server.child.kill('SIGTERM')

    t.equal(await server.exited, 0)
  },
)

t.test('D8: a file that listens to the faults of the process is not told of them, and ends nothing by it', async t => {
  const listens = `for (const fault of ['uncaughtException', 'unhandledRejection']) {
  process.on(fault, () => { console.log('was told'); process.exit(1) })
}`
  const server = await serve(t, {
    'a.mjs': tool('a', listens),
    'b.mjs': tool('b', `setTimeout(() => { throw new Error('left') }, 20)\nPromise.reject(new Error('left'))`),
  })

  await until(() => linesOf(server, 'b.mjs').length === 2, 'both were logged')
  await assertServes(t, server, 'a')
  t.notMatch(server.stdout, 'was told')
})

t.test('D8: a timer of a file that throws each time is no flood of lines', async t => {
  const server = await serve(t, { 'a.mjs': tool('a', `setInterval(() => { throw new Error('again') }, 5)`) })
  const counted = async () => {
    const metrics = await (await fetch(new URL('/metrics', server.url))).text()
    return Number(/^toolrack_unhandled_errors_total\{tool="[^"]*\/a\.mjs"\} (\d+)$/m.exec(metrics)?.[1] ?? 0)
  }
  const startMs = Date.now()

  await until(async () => (await counted()) > 100, 'it was counted')

  const passedS = (Date.now() - startMs) / 1000
  t.ok(linesOf(server, 'a.mjs').length <= 7 + passedS / 10)
  await assertServes(t, server, 'a')
})

t.test('D8: a file that hangs holds up neither the start nor the others', async t => {
  const server = await serve(t, { 'a.mjs': `await new Promise(() => {})\n${tool('a', '')}` })

  await assertServes(t, server)
  const ready = await fetch(new URL('/ready', server.url))
  t.equal(ready.status, 200)
  t.strictSame(await ready.json(), { status: 'ready', degraded: ['tools/a.mjs: it has not loaded yet'] })
})
