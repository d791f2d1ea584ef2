// Section D of the catalogue: isolated tools that loop, crash or take all memory, in a server that goes on beside them.
import t, { type Test } from 'tap'
import { callTool } from '../helper.ts'
import { tempFolder } from '../registry/temp-folder.ts'
import { assertClean, rack, until } from './hostile.ts'

const isolated = (name: string, handler: string, more = '') =>
  `{ name: '${name}', isolate: true, ${more} handler: ${handler} }`

function serve(t: Test, ...tools: string[]) {
  const source = `import { setTimeout as later } from 'node:timers'\nexport default [${tools.join(',\n')}]\n`
  return rack(t, [], { toolsDir: tempFolder(t, { 'tools.mjs': source }).path, watchTools: false })
}

const fine = isolated('fine', `() => 'fine'`)

t.test('D6: while an isolated tool loops others are answered, and its thread is ended at the deadline', async t => {
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

  // Waits for all threads to end.
  await app.close()
})

t.test('D6: as many loops as there are threads, and more, leave none of them taken', async t => {
  const app = await serve(t, isolated('loop', `() => { for (;;); }`, 'timeout: 1000,'), fine)

  const loops = await Promise.all(Array.from({ length: 6 }, () => callTool(app, 'loop')))

  t.ok(loops.every(({ isError }) => isError))
  t.equal((await callTool(app, 'fine')).content[0].text, 'fine')
})

const ENDS: [what: string, handler: string, text: RegExp][] = [
  ['process.exit', `() => process.exit(3)`, /tried to end the process/],
  ['what lies behind process.exit', `() => process.reallyExit(3)`, /ended the thread that it ran in/],
  ['process.abort', `() => process.abort()`, /not supported in workers/],
  ['a stack that overflows', `() => { const f = () => f() + 1; return f() }`, /call stack/],
  ['a throw in a timer', `() => new Promise(() => later(() => { throw new Error('boom') }))`, /^boom$/],
]

t.test('D7: what would end a process fails one call', async t => {
  const tools = ENDS.map(([, handler], index) => isolated(`end-${index}`, handler))
  const app = await serve(t, ...tools, fine)

  for (const [index, [what, , text]] of ENDS.entries()) {
    const result = await callTool(app, `end-${index}`)

    t.match(result, { isError: true, content: [{ text }] }, what)
    t.equal((await callTool(app, 'fine')).content[0].text, 'fine', what)
    t.equal((await callTool(app, 'probe')).content[0].text, 'alive', what)
  }
  assertClean(app.logs.text)
})

// Each ended the whole process where V8's own limit was reached.
const GREEDY: [what: string, handler: string][] = [
  ['one growing array', `() => { const a = []; for (;;) a.push(a.length + 0.5) }`],
  ['a growing map', `() => { const m = new Map(); for (let i = 0; ; i++) m.set(i, { i }) }`],
  ['many arrays', `() => { const a = []; for (;;) a.push(new Array(1000).fill(0)) }`],
  ['buffers', `() => { const a = []; for (;;) a.push(Buffer.alloc(1e6, 1)) }`],
]

t.test('D7: a tool that takes all memory fails its own call', async t => {
  const app = await serve(t, ...GREEDY.map(([, handler], index) => isolated(`greedy-${index}`, handler)), fine)

  for (const [index, [what]] of GREEDY.entries()) {
    const result = await callTool(app, `greedy-${index}`)

    t.match(result, { isError: true, content: [{ text: /used more than 256 MiB of memory/ }] }, what)
    t.equal((await callTool(app, 'fine')).content[0].text, 'fine', what)
  }
})

t.test('D8: what an isolated tool leaves behind is logged with its name, and its thread goes on', async t => {
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
  'D8: what the top level of an isolated tool’s file leaves behind in its thread is the file’s, and fails no call',
  async t => {
    const source = `import { isMainThread } from 'node:worker_threads'
if (!isMainThread) {
  setTimeout(() => { throw new Error('late one') }, 20)
  Promise.reject(new Error('late two'))
  setTimeout(() => process.exit(3), 40)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 60)
}
export default ${isolated('slow', `() => new Promise(done => setTimeout(done, 200, 'answered'))`)}
`
    const app = await rack(t, [], { toolsDir: tempFolder(t, { 'tools.mjs': source }).path, watchTools: false })

    t.equal((await callTool(app, 'slow')).content[0].text, 'answered')

    const reports = () => app.logs.lines.filter(({ msg }) => msg === 'tool file left an error behind')
    await until(() => reports().length === 4, 'they were reported')
    for (const { file } of reports()) t.match(file, /\/tools\.mjs$/)
    t.strictSame(
      reports().map(({ reason }) => (/tried to end the process$/.test(reason) ? 'end' : reason)),
      ['late two', 'late one', 'end', 'end'],
    )
    t.equal((await callTool(app, 'slow')).content[0].text, 'answered')
  },
)

t.test('D7: a signal to the process from an isolated tool fails its own call', async t => {
  const app = await serve(t, isolated('kills', `() => process.kill(process.pid, 'SIGKILL')`), fine)

  t.match(await callTool(app, 'kills'), { isError: true, content: [{ text: 'kills tried to end the process' }] })
  t.equal((await callTool(app, 'fine')).content[0].text, 'fine')
})

t.test('D16: what an isolated tool does to its thread is not done to the server', async t => {
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
