// Memory of isolated tools: what a call holds counts, what calls before it have left behind does
// not.
import t, { type Test } from 'tap'
import { build, callTool } from '../../../../test/support/app.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'

const HANDLERS = {
  // 20 times 10 MiB that live long enough to be moved out of the young generation.
  litter: `() => {
    for (let piece = 0, kept; piece < 20; piece++) {
      kept = []
      for (let each = 0; each < 100_000; each++) kept.push({ each, text: 'v' + each, list: [each] })
    }
    return String(process.pid)
  }`,
  // Holds 200 MB outside of the heap for longer than it takes to look.
  buffers: `async () => {
    const kept = []
    for (let each = 0; each < 200; each++) kept.push(Buffer.alloc(1e6, 1))
    await new Promise(done => setTimeout(done, 150))
    return String(process.pid)
  }`,
  hog: `() => { const kept = []; for (;;) kept.push(new Array(1000).fill(0)) }`,
  sitter: `() => {
    const kept = []
    for (let each = 0; each < 45; each++) kept.push(new Array(1_000_000).fill(each + 0.5))
    return new Promise(done => setTimeout(() => done(String(kept.length)), 20_000))
  }`,
  bufferSitter: `() => {
    const kept = []
    for (let each = 0; each < 700; each++) kept.push(Buffer.alloc(1e6, 1))
    return new Promise(done => setTimeout(() => done(String(kept.length)), 20_000))
  }`,
  fine: `() => String(process.pid)`,
}

function serve(t: Test) {
  const tools = Object.entries(HANDLERS).map(
    ([name, handler]) => `{ name: '${name}', isolate: true, handler: ${handler} }`,
  )
  const source = `export default [${tools.join(',\n')}]\n`
  return build(t, { toolsDir: tempFolder(t, { 'tools.ts': source }).path, watchTools: false })
}

for (const [tool, calls] of [
  ['litter', 20],
  ['buffers', 10],
] as const) {
  t.test(`isolate: ${calls} calls of ${tool} in one process, each with 200 MB of garbage, all succeed`, async t => {
    const app = await serve(t)
    const processes = new Set<string>()

    for (let call = 0; call < calls; call++) {
      const result = await callTool(app, tool)

      t.notOk(result.isError, result.content[0].text)
      processes.add(result.content[0].text)
    }
    t.equal(processes.size, 1)
  })
}

t.test('isolate: what a call holds on to ends it, whether it grows or stands still', async t => {
  const app = await serve(t)

  for (const tool of ['hog', 'sitter', 'bufferSitter']) {
    const result = await callTool(app, tool)

    t.match(result, { isError: true, content: [{ text: `${tool} used more than 256 MiB of memory` }] })
    t.notOk((await callTool(app, 'fine')).isError)
  }
})

t.test('isolate: the bound is the same, whatever flags the server was started with', async t => {
  const { NODE_OPTIONS, ...others } = process.env
  process.env['NODE_OPTIONS'] = `${NODE_OPTIONS ?? ''} --max-old-space-size-percentage=50 --max-old-space-size=4096`
  t.teardown(() => {
    process.env = { ...others, ...(NODE_OPTIONS !== undefined && { NODE_OPTIONS }) }
  })
  const app = await serve(t)

  t.match(await callTool(app, 'sitter'), { isError: true, content: [{ text: /used more than 256 MiB of memory/ }] })
})
