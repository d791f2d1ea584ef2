// Isolated tools that loop, crash or take all memory, in a server that goes on beside them.
import t, { type Test } from 'tap'
import { callTool } from '../../support/app.ts'
import { assertClean, rack, until } from '../../support/security/hostile.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const isolated = (name: string, handler: string, more = '') =>
  `{ name: '${name}', description: 'Hostile.', isolate: true, ${more} handler: ${handler} }`

function serve(t: Test, ...tools: string[]) {
  const source = `import { execFileSync, spawn } from 'node:child_process'\nimport { closeSync, writeSync } from 'node:fs'\nimport { setTimeout as later } from 'node:timers'\nexport default [${tools.join(',\n')}]\n`
  return rack(t, [], { toolsDir: tempFolder(t, { 'tools.mjs': source }).path, watchTools: false })
}

const fine = isolated('fine', `() => 'fine'`)

t.test('D6: while an isolated tool loops others are answered, and its process is ended at the deadline', async t => {
  const app = await serve(t, isolated('loop', `() => { for (;;); }`, 'timeout: 1500,'), fine)
  await callTool(app, 'fine')
  const probesMs = async () => {
    let hasEnded = false
    const looping = callTool(app, 'loop').finally(() => (hasEnded = true))
    const tookMs: number[] = []
    while (!hasEnded) {
      const startedMs = performance.now()
      await callTool(app, 'probe')
      tookMs.push(performance.now() - startedMs)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    t.match(await looping, { isError: true, content: [{ text: 'loop timed out after 1500 ms' }] })
    return tookMs.sort((a, b) => a - b)
  }
  // Were they held up, there would be one each time, of 1500 ms.
  const areFree = (tookMs: number[]) => tookMs.length > 3 && tookMs[Math.floor(tookMs.length / 2)]! < 500

  let tookMs = await probesMs()
  for (let tries = 1; tries < 5 && !areFree(tookMs); tries++) tookMs = await probesMs()

  t.ok(areFree(tookMs), `${tookMs.length} probes, which took ${tookMs.at(-1)} ms at most`)
  t.equal((await callTool(app, 'fine')).content[0].text, 'fine')
})

t.test('D6: a loop from which V8 takes the check for interrupts is ended too', async t => {
  const app = await serve(t, isolated('loop', `() => { for (;;) new Array(1000).fill(0) }`, 'timeout: 2000,'))

  t.match(await callTool(app, 'loop'), { isError: true })

  // Waits for all processes to end.
  await app.close()
})

t.test('D6: as many loops as there are processes, and more, leave none of them taken', async t => {
  const app = await serve(t, isolated('loop', `() => { for (;;); }`, 'timeout: 1000,'), fine)

  const loops = await Promise.all(Array.from({ length: 6 }, () => callTool(app, 'loop')))

  t.ok(loops.every(({ isError }) => isError))
  t.equal((await callTool(app, 'fine')).content[0].text, 'fine')
})

const signal = (name: string) => `() => { execFileSync('kill', ['-${name}', String(process.pid)]); for (;;); }`

/** Writes a text to the channel of the process. */
const said = (text: string) => `() => { writeSync(3, '${text}'); return new Promise(() => {}) }`
const flood = `() => { for (;;) try { writeSync(3, 'x'.repeat(10_000)) } catch {} }`

const ENDS: [what: string, handler: string, text: RegExp][] = [
  ['process.exit', `() => process.exit(3)`, /tried to end the process/],
  ['what lies behind process.exit', `() => process.reallyExit(3)`, /ended the process that it ran in/],
  ['process.abort', `() => process.abort()`, /tried to end the process/],
  ['a signal to itself', `() => process.kill(process.pid, 'SIGKILL')`, /tried to end the process/],
  ['native code that aborts', signal('ABRT'), /ended the process that it ran in/],
  ['native code that reads where nothing is', signal('SEGV'), /ended the process that it ran in/],
  ['native code with an illegal instruction', signal('ILL'), /ended the process that it ran in/],
  ['the end of memory of the machine', signal('KILL'), /ended the process that it ran in/],
  [
    'a channel that is closed',
    `() => { closeSync(3); return new Promise(() => {}) }`,
    /ended the process that it ran in/,
  ],
  ['a line that is not JSON', said('and so on\\n'), /ended the process that it ran in/],
  ['a message that is none', said('{"kind":"log","level":"none","entry":1}\\n'), /ended the process that it ran in/],
  [
    'a fault that is none',
    said('{"kind":"fault","source":{"tool":"x"},"error":{"name":"","message":"","stack":"","causes":[null]}}\\n'),
    /ended the process that it ran in/,
  ],
  ['a line without an end', flood, /ended the process that it ran in/],
  [
    'the end of a process whose output another holds',
    `() => { spawn('sleep', ['20'], { stdio: 'inherit' }); process.reallyExit(3) }`,
    /ended the process that it ran in/,
  ],
  ['a stack that overflows', `() => { const f = () => f() + 1; return f() }`, /call stack/],
  ['a throw in a timer', `() => new Promise(() => later(() => { throw new Error('boom') }))`, /^boom$/],
]

t.test('D7: what would end a process fails one call', async t => {
  const tools = ENDS.map(([, handler], index) => isolated(`end-${index}`, handler, 'timeout: 10_000,'))
  const app = await serve(t, ...tools, fine)

  for (const [index, [what, , text]] of ENDS.entries()) {
    const result = await callTool(app, `end-${index}`)

    t.match(result, { isError: true, content: [{ text }] }, what)
    t.equal((await callTool(app, 'fine')).content[0].text, 'fine', what)
    t.equal((await callTool(app, 'probe')).content[0].text, 'alive', what)
  }
  assertClean(app.logs.text)
})

// Each ends the whole process that it is in.
const GREEDY: [what: string, handler: string][] = [
  ['one growing array', `() => { const a = []; for (;;) a.push(a.length + 0.5) }`],
  ['a growing map', `() => { const m = new Map(); for (let i = 0; ; i++) m.set(i, { i }) }`],
  ['many arrays', `() => { const a = []; for (;;) a.push(new Array(1000).fill(0)) }`],
  ['one large array', `() => { let a = [0.5]; for (;;) a = a.concat(a) }`],
  ['texts', `() => { const a = []; for (let i = 0; ; i++) a.push(Buffer.alloc(1e5, 97).toString('latin1') + i) }`],
  // These are outside of the heap.
  ['buffers', `() => { const a = []; for (;;) a.push(Buffer.alloc(1e6, 1)) }`],
  ['one large buffer', `() => { const a = Buffer.alloc(2e9, 1); for (;;) a[0]++ }`],
  ['large texts', `() => { const a = []; for (;;) a.push(Buffer.alloc(2e6, 97).toString('latin1')) }`],
]

t.test('D7: a tool that takes all memory fails its own call', async t => {
  const app = await serve(
    t,
    ...GREEDY.map(([, handler], index) => isolated(`greedy-${index}`, handler, 'timeout: 120_000,')),
    fine,
  )

  for (const [index, [what]] of GREEDY.entries()) {
    const result = await callTool(app, `greedy-${index}`)

    t.match(result, { isError: true, content: [{ text: /used more than 256 MiB of memory/ }] }, what)
    t.equal((await callTool(app, 'fine')).content[0].text, 'fine', what)
  }
})

t.test('D8: what an isolated tool leaves behind is logged with its name, and its process goes on', async t => {
  const app = await serve(
    t,
    isolated('timer', `() => { later(() => { throw new Error('late one') }, 20); return 'answered' }`),
    isolated('rejects', `() => { later(() => Promise.reject(new Error('late two')), 20); return 'answered' }`),
    fine,
  )

  for (const [tool, reason] of Object.entries({ timer: 'late one', rejects: 'late two' })) {
    t.equal((await callTool(app, tool)).content[0].text, 'answered')
    const isReport = (line: object) =>
      'tool' in line && line.tool === tool && 'reason' in line && line.reason === reason
    await until(() => app.logs.lines.some(isReport), `${tool} was reported`)
  }
  t.equal((await callTool(app, 'fine')).content[0].text, 'fine')
})

t.test(
  'D8: what the top level of an isolated tool’s file leaves behind in its process is the file’s, and fails no call',
  async t => {
    const source = `if (process.pid !== ${process.pid}) {
  setTimeout(() => { throw new Error('late one') }, 20)
  Promise.reject(new Error('late two'))
  setTimeout(() => process.exit(3), 40)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 60)
}
export default ${isolated('slow', `() => new Promise(done => setTimeout(done, 200, 'answered'))`)}
`
    const app = await rack(t, [], { toolsDir: tempFolder(t, { 'tools.mjs': source }).path, watchTools: false })

    t.equal((await callTool(app, 'slow')).content[0].text, 'answered')

    const reports = () => app.logs.lines.filter(({ msg }) => msg === 'unhandled error of a tool file')
    await until(() => reports().length === 4, 'they were reported')
    for (const { file } of reports()) t.match(file, /\/tools\.mjs$/)
    t.strictSame(
      reports().map(({ reason }) => (/tried to end the process$/.test(reason) ? 'end' : reason)),
      ['late two', 'late one', 'end', 'end'],
    )
    t.equal((await callTool(app, 'slow')).content[0].text, 'answered')
  },
)

t.test('D16: what an isolated tool does to its process is not done to the server', async t => {
  const app = await serve(
    t,
    isolated('pollute', `() => { Object.prototype.polluted = 1; return 'done' }`),
    isolated('breaks', `() => { JSON.parse = () => 'mine'; process.env.PATH = ''; return 'done' }`),
  )

  t.match(await callTool(app, 'pollute'), { isError: true })
  await callTool(app, 'breaks')

  t.notOk('polluted' in {})
  t.equal((await callTool(app, 'probe')).content[0].text, 'alive')
  t.not(process.env['PATH'], '')
})
