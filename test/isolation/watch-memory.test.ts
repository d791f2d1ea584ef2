// Memory of isolated tools: what a call uses counts, what it has thrown away does not, nor what calls before it have.
import t, { type Test } from 'tap'
import { build, callTool } from '../helper.ts'
import { tempFolder } from '../registry/temp-folder.ts'

const HANDLERS = {
  // 20 times 10 MiB that live long enough to be moved out of the young generation.
  litter: `() => {
    for (let piece = 0, kept; piece < 20; piece++) {
      kept = []
      for (let each = 0; each < 100_000; each++) kept.push({ each, text: 'v' + each, list: [each] })
    }
    return String(threadId)
  }`,
  // Leaves more garbage than it may use, and waits with it.
  waits: `async () => {
    const kept = { list: [] }
    for (let each = 0; each < 35; each++) kept.list.push(new Array(1_000_000).fill(each + 0.5))
    kept.list = undefined
    await new Promise(done => setTimeout(done, 1500))
    return String(threadId)
  }`,
  hog: `() => { const kept = []; for (;;) kept.push(new Array(1000).fill(0)) }`,
  sitter: `() => {
    const kept = []
    for (let each = 0; each < 45; each++) kept.push(new Array(1_000_000).fill(each + 0.5))
    return new Promise(done => setTimeout(() => done(String(kept.length)), 20_000))
  }`,
  fine: `() => String(threadId)`,
}

function serve(t: Test) {
  const tools = Object.entries(HANDLERS).map(
    ([name, handler]) => `{ name: '${name}', isolate: true, handler: ${handler} }`,
  )
  const source = `import { threadId } from 'node:worker_threads'\nexport default [${tools.join(',\n')}]\n`
  return build(t, { toolsDir: tempFolder(t, { 'tools.ts': source }).path, watchTools: false })
}

t.test('isolate: 20 calls in one thread, each with 200 MiB of garbage, all succeed', async t => {
  const app = await serve(t)
  const threads = new Set<string>()

  for (let call = 0; call < 20; call++) {
    const result = await callTool(app, 'litter')

    t.notOk(result.isError, result.content[0].text)
    threads.add(result.content[0].text)
  }
  t.equal(threads.size, 1)
})

t.test('isolate: garbage of 280 MB is collected while its call waits, and does not end it', async t => {
  const app = await serve(t)
  const before = (await callTool(app, 'fine')).content[0].text

  t.equal((await callTool(app, 'waits')).content[0].text, before)
})

t.test('isolate: what a call holds on to ends it, whether it grows or stands still', async t => {
  const app = await serve(t)

  for (const tool of ['hog', 'sitter']) {
    const result = await callTool(app, tool)

    t.match(result, { isError: true, content: [{ text: `${tool} used more than 256 MiB of memory` }] })
    t.notOk((await callTool(app, 'fine')).isError)
  }
})
