import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { call, request, stream, VERSION } from '../../../../test/support/app.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { untilServed } from '../../../../test/support/replicas/pair.ts'
import { serverProgram } from '../../../../test/support/servers/program.ts'
import { names, serve, source, tempFolder } from '../../../../test/support/tools-folder.ts'

t.test('reload: without a folder there is nothing to do', async t => {
  const { build } = await import('../../../../test/support/app.ts')
  const app = await build(t, { tools: [] })

  await t.resolves(app.toolrack.reload())
})

t.test('reload: readings do not overlap', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a') })

  write({ 'b.ts': source('b') })
  const first = app.toolrack.reload()
  write({ 'c.ts': source('c') })
  await Promise.all([first, app.toolrack.reload(), app.toolrack.reload()])

  t.strictSame(await names(app), ['a', 'b', 'c'])
  t.ok((await announced()) <= 2)
})

t.test('add and remove: announced once each, and nothing where nothing changes', async t => {
  const { app, announced } = await serve(t, { 'a.ts': source('a') })
  const b = { name: 'b', handler: () => 'b' }

  app.toolrack.add(b)
  t.equal(await announced(), 1)
  app.toolrack.add({ ...b, handler: () => 'new' })
  t.equal(await announced(), 1)
  t.equal(app.toolrack.remove('b'), true)
  t.equal(await announced(), 2)
  t.equal(app.toolrack.remove('b'), false)
  t.equal(await announced(), 2)
  app.toolrack.add([b, { ...b, name: 'c' }, { ...b, name: 'd' }])
  t.equal(await announced(), 3)
  t.strictSame(await names(app), ['a', 'b', 'c', 'd'])
})

t.test('add: what cannot be served is thrown, and the others are served', async t => {
  const { app } = await serve(t, {})
  const handler = () => ''

  t.throws(
    () =>
      app.toolrack.add([
        { name: 'a', handler },
        { name: 'b c', handler },
      ]),
    {
      message: /"b c".*name/,
    },
  )
  t.throws(
    () =>
      app.toolrack.add([
        { name: 'd e', handler },
        { name: 'b', handler },
        { name: 'b', handler },
      ]),
    {
      message: /"d e".*name.*b.*twice/,
    },
  )
  t.throws(() => app.toolrack.add({ name: 'x' } as never), { message: /"x".*handler/ })

  t.strictSame(await names(app), ['a', 'b'])
})

async function started(child: ChildProcess, port: number): Promise<void> {
  for (let attempt = 0; attempt < 1600; attempt++) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const ready = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined)
    if (ready?.ok) return
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  throw new Error('the server did not start')
}

t.test('SIGHUP: the process reads its folder again, announces it, and ends cleanly', async t => {
  const folder = tempFolder(t, { 'a.ts': source('a') })
  const port = await freePort()
  const child = spawn(process.execPath, [serverProgram()], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: String(port),
      TOOLS_DIR: folder.path,
      WATCH_TOOLS: 'false',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  child.stdout.resume()
  await started(child, port)
  const url = `http://127.0.0.1:${port}/mcp`
  const news = await stream(t, url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  await news.next(0)

  folder.write({ 'b.ts': source('b') })
  child.kill('SIGHUP')
  await news.next(1)

  const { message, headers } = request('tools/list')
  const { host: _, ...rest } = headers
  const ask = () => fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message) })
  // Refused by a process that stood still with its machine, and so takes itself for overloaded, it comes again.
  const response = await untilServed(ask)
  const { result } = (await response.json()) as { result: { tools: { name: string }[] } }
  t.strictSame(
    result.tools.map(({ name }) => name),
    ['a', 'b'],
  )
  t.equal(headers['mcp-protocol-version'], VERSION)

  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
  await news.ended
  t.match(news.messages.at(-1), { result: { resultType: 'complete' } })
})

for (const [what, path] of [
  ['is not there', '/nowhere/tools'],
  ['is a file', import.meta.filename],
] as const) {
  t.test(`TOOLS_DIR: one that ${what} stops the start with one line that names it`, async t => {
    const child = spawn(process.execPath, [serverProgram()], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        PORT: '0',
        TOOLS_DIR: path,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    t.teardown(() => child.kill('SIGKILL'))

    const [stderr, [code]] = await Promise.all([child.stderr.toArray(), once(child, 'exit')])

    t.equal(code, 1)
    t.match(Buffer.concat(stderr).toString(), /^TOOLS_DIR: expected a folder that exists.*\n$/)
  })
}

t.test('remove: a definition of any kind', async t => {
  const { defineResource, definePrompt } = await import('../../../../src/index.ts')
  const { app } = await serve(t, {})
  const handler = () => ''
  const resource = defineResource({ uri: 'test://a', name: 'a', handler })
  const template = defineResource({ uriTemplate: 'test://{a}', name: 'a', handler })
  const prompt = definePrompt({ name: 'a', handler })
  app.toolrack.add([resource, template, prompt])

  t.strictSame(
    [resource, template, prompt].map(each => app.toolrack.remove(each)),
    [true, true, true],
  )

  const listed = await call(app, 'resources/templates/list')
  t.strictSame(listed.result.resourceTemplates, [])
})
