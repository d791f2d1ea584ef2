// What the `setup` of a tool file gets: it adds and removes definitions, notifies and logs at run time.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { ToolServer } from '../../../../src/index.ts'
import { type App, call } from '../../../../test/support/app.ts'
import { until } from '../../../../test/support/clients/connect.ts'
import {
  answer,
  type Files,
  names,
  serve,
  serveFolder,
  source,
  tempFolder,
} from '../../../../test/support/tools-folder.ts'
import { testTools } from '../../../testing/src/index.ts'

/** What each file was given, by what it calls itself. */
const servers = new Map<string, ToolServer>()
Object.assign(globalThis, { serversOfFiles: servers })

const one = (name: string, answer = name) => ({ name, description: `Says ${answer}.`, handler: () => answer })

/** A file whose `setup` hands out its server, after it has run `first`. */
const file = (id: string, first = '', rest = `export default ${JSON.stringify([])}`) => `
const one = (name, answer = name, fields = {}) => ({ name, description: 'Says ' + answer + '.', handler: () => answer, ...fields })
export async function setup(server) {
  await null
  globalThis.serversOfFiles.set('${id}', server)
  ${first}
}
${rest}`

const get = (id: string) => servers.get(id)!
const logged = (app: App, text: string) => app.logs.lines.filter(({ msg }) => msg?.startsWith(text))
/** A reload of all that has changed. */
const reload = (app: App) => app.toolrack.reload()

async function serveOne(t: Parameters<typeof serve>[0], files: Files) {
  const served = await serve(t, files)
  t.teardown(() => servers.clear())
  return served
}

t.test('what setup adds before it ends is served with the file, in one change', async t => {
  const { app, write, announced } = await serveOne(t, { 'b.ts': source('b') })

  write({ 'a.ts': file('a', `server.add([one('x'), one('y')]); server.add(one('x', 'better'))`) })
  await reload(app)
  t.strictSame(await names(app), ['b', 'x', 'y'])
  t.equal(await answer(app, 'x'), 'better')
  t.equal(await announced(), 1)
})

t.test('a setup that fails serves nothing of what it has added', async t => {
  const { app } = await serveOne(t, {
    'a.ts': file('a', `server.add(one('x')); throw new Error('no')`),
    'b.ts': source('b'),
  })

  t.strictSame(await names(app), ['b'])
  t.match(logged(app, 'tool file not loaded'), [{ reason: 'no' }])
})

t.test('what is added and removed later is announced, logged, and gone with the version', async t => {
  const { app, write, announced } = await serveOne(t, { 'a.ts': file('1') })

  get('1').add(one('x'))
  t.equal(await answer(app, 'x'), 'x')
  t.equal(await announced(), 1)
  t.match(logged(app, 'tools changed by their files'), [{ added: 'x', msg: /a\.ts: x \(added\)$/ }])
  get('1').add([one('x', 'other'), one('y')])
  t.equal(await answer(app, 'x'), 'other')
  t.equal(await announced(), 2)
  t.equal(get('1').remove('y'), true)
  t.equal(get('1').remove('y'), false)
  t.strictSame(await names(app), ['x'])
  t.equal(await announced(), 3)

  write({ 'a.ts': file('2') })
  await reload(app)
  t.strictSame(await names(app), [])
  get('2').add(one('z'))
  write({ 'a.ts': undefined })
  await reload(app)
  t.strictSame(await names(app), [])
})

t.test('what a new version adds again in setup is no change', async t => {
  const { app, write, announced } = await serveOne(t, { 'a.ts': file('1', `server.add(one('x'))`) })
  write({ 'a.ts': file('2', `server.add(one('x'))`) })
  await reload(app)
  t.strictSame(await names(app), ['x'])
  t.equal(await announced(), 0)
})

t.test('a version that is over changes nothing, and the log says so once', async t => {
  const { app, write } = await serveOne(t, { 'a.ts': file('1') })
  write({ 'a.ts': file('2') })
  await reload(app)

  get('1').add(one('x'))
  t.equal(get('1').remove('x'), false)
  get('1').resourceUpdated('docs://r')
  t.strictSame(await names(app), [])
  t.match(logged(app, 'a replaced version of a tool file'), [{ level: 40, file: /a\.ts$/, ignored: 'add' }])
  get('1').log.info('still here')
  t.match(logged(app, 'tool log'), [{ entry: 'still here' }])
})

t.test('a version that could not be replaced goes on', async t => {
  const { app, write } = await serveOne(t, { 'a.ts': file('1') })
  write({ 'a.ts': file('2', `server.add(one('y')); throw new Error('no')`) })
  await reload(app)

  get('2').add(one('z'))
  get('1').add(one('x'))
  t.strictSame(await names(app), ['x'])
})

t.test('names of others are refused with where they are, and the rest is served', async t => {
  const { app } = await serveOne(t, { 'a.ts': file('a'), 'b.ts': source('b') })
  app.toolrack.add(one('c'))

  t.throws(() => get('a').add([one('b'), one('x')]), /tool b is already defined in .*b\.ts; rename or remove one/)
  t.throws(() => get('a').add(one('c')), /tool c is already defined in the program/)
  t.throws(() => get('a').remove('b'), /tool b is defined in .*b\.ts, which alone can remove it/)
  t.throws(() => get('a').add({ ...one('y'), desciption: 1 } as never), /did you mean description\?/)
  t.throws(() => get('a').add({ ...one('y'), isolate: true }), /isolate: its process could not find it/)
  t.throws(() => get('a').add([one('y'), one('y')]), /defined twice/)
  t.throws(() => get('a').resourceUpdated(5 as never), /takes a URI, not/)
  t.strictSame(await names(app), ['b', 'c', 'x', 'y'])
  t.strictSame([await answer(app, 'b'), await answer(app, 'c')], ['b', 'c'])
})

t.test('a file with the name of what was added waits until it is removed', async t => {
  const { app, write } = await serveOne(t, { 'a.ts': file('a', `server.add(one('x', 'added'))`) })
  write({ 'b.ts': source('x', { answer: 'written' }) })
  await reload(app)
  t.equal(await answer(app, 'x'), 'added')
  t.match(logged(app, 'tool not served'), [{ reason: /already defined in .*a\.ts/ }])

  get('a').remove('x')
  t.equal(await answer(app, 'x'), 'written')
  t.throws(() => get('a').add(one('x')), /already defined in .*b\.ts/)
})

t.test('two files that load together cannot have the same', async t => {
  const { app } = await serveOne(t, { 'a.ts': file('a', `server.add(one('x', 'first'))`), 'b.ts': source('x') })
  t.equal(await answer(app, 'x'), 'first')
})

t.test('an earlier folder takes the name of what was added', async t => {
  const [first, second] = [tempFolder(t), tempFolder(t, { 'a.ts': file('a') })]
  const { app } = await serveFolder(t, [first.path, second.path])
  get('a').add(one('x', 'added'))

  first.write({ 'b.ts': source('x', { answer: 'first' }) })
  await reload(app)
  t.equal(await answer(app, 'x'), 'first')
  t.throws(() => get('a').add(one('x')), /already defined in .*b\.ts/)
})

t.test('a file takes away what it exports, also before it is served, and has it back', async t => {
  const exported = `export default [one('x'), one('y')]`
  const { app } = await serveOne(t, { 'a.ts': file('a', `server.remove('y')`, exported) })
  t.strictSame(await names(app), ['x'])

  t.equal(get('a').remove('x'), true)
  get('a').add(one('y', 'back'))
  t.strictSame(await names(app), ['y'])
  t.equal(await answer(app, 'y'), 'back')
})

t.test('resources and prompts are added, removed and notified', async t => {
  const { app, news } = await serveOne(t, {
    'a.ts': `import { definePrompt, defineResource } from 'toolrack'
const all = [
  defineResource({ name: 'r', uri: 'docs://r', handler: () => 'text' }),
  defineResource({ name: 't', uriTemplate: 'docs://{id}/t', handler: () => 'text' }),
  definePrompt({ name: 'p', handler: () => 'text' }),
]
export function setup(server) {
  globalThis.serversOfFiles.set('a', server)
  server.add(all)
  globalThis.definitionsOfFile = all
}
export default []`,
  })
  t.match((await call(app, 'resources/read', { uri: 'docs://r' })).result, { contents: [{ text: 'text' }] })
  get('a').resourceUpdated('test://sentinel')
  await news.next(1)
  t.match(news.messages.at(-1), { method: 'notifications/resources/updated', params: { uri: 'test://sentinel' } })

  const { definitionsOfFile: all } = globalThis as unknown as {
    definitionsOfFile: Parameters<ToolServer['remove']>[0][]
  }
  t.strictSame(
    all.map(each => get('a').remove(each)),
    [true, true, true],
  )
  t.match(await call(app, 'prompts/get', { name: 'p' }), { error: {} })
})

t.test('the rules of the file hold for what it adds', async t => {
  const rules = `
export const visible = tool => tool.name !== 'hidden'
export const onCall = async (call, next) => (call.tool.name === 'x' ? 'by the rule' : next())
export default []`
  const { app } = await serveOne(t, { 'a.ts': file('a', `server.add([one('x'), one('hidden')])`, rules) })
  get('a').add(one('hidden'))
  t.strictSame(await names(app), ['x'])
  t.equal(await answer(app, 'x'), 'by the rule')
})

t.test('the log has the name of the file, and is masked', async t => {
  const { app } = await serveOne(t, { 'a.ts': file('a') })
  get('a').log.warning('sync failed', { cause: new Error('ghp_abcdefghijklmnopqrstuvwxyz'), password: 'x' })
  const [line] = logged(app, 'tool log')
  t.match(line, { level: 40, file: /a\.ts$/, entry: { message: 'sync failed', data: { cause: { name: 'Error' } } } })
  t.notMatch(JSON.stringify(line), 'ghp_abcdef')
  t.notMatch(JSON.stringify(line), '"x"')
})

t.test('a call of what was added keeps its version open', async t => {
  const closed: string[] = []
  const gate = Promise.withResolvers<void>()
  Object.assign(globalThis, { runTime: { closed, gate, started: false } })
  const waits = `server.add({ name: 'x', description: 'x', handler: async () => {
    globalThis.runTime.started = true
    await globalThis.runTime.gate.promise
    return String(globalThis.runTime.closed.length)
  } })`
  const rest = `export const close = () => void globalThis.runTime.closed.push('a'); export default []`
  const { app, write } = await serveOne(t, { 'a.ts': file('a', waits, rest) })
  const running = answer(app, 'x')
  await until(() => (globalThis as unknown as { runTime: { started: boolean } }).runTime.started, 'the call')
  write({ 'a.ts': undefined })
  await reload(app)
  gate.resolve()
  t.equal(await running, '0')
  await until(() => closed.length === 1, 'the close')
})

t.test('a setup of a helper runs for each file that exports it, if it takes the server', async t => {
  const shared = `export { setup } from './_poller.ts'; export default []`
  const { app, write } = await serveOne(t, {
    '_poller.ts': `let runs = 0
export function setup(server) {
  const name = 'x' + ++runs
  server.add({ name, description: name, handler: () => name })
}`,
    'a.ts': shared,
    'b.ts': shared,
  })
  t.strictSame(await names(app), ['x1', 'x2'])
  write({ 'a.ts': `${shared}\n` })
  await reload(app)
  t.strictSame(await names(app), ['x2', 'x3'])
})

t.test('hooks log and notify, and add nothing', async t => {
  const { app } = await serveOne(t, {
    '_hooks.ts': file('hooks', '', 'export const visible = () => true'),
    'b.ts': source('b'),
  })
  get('hooks').log.info('rules are here')
  t.match(logged(app, 'tool log'), [{ file: /_hooks\.ts$/, entry: 'rules are here' }])
  t.throws(() => get('hooks').add(one('x')), /rules serve nothing: a tool file adds/)
  t.throws(() => get('hooks').remove('b'), /rules serve nothing/)
})

t.test('a file of isolated tools adds from the server, and its process adds nothing', async t => {
  const isolated = `export default one('isolated', 'from afar', { isolate: true })`
  const { app } = await serveOne(t, {
    'a.ts': file('a', `server.add(one('x')); server.log.info('set up')`, isolated).replace(
      'globalThis.serversOfFiles',
      'globalThis.serversOfFiles?',
    ),
  })
  t.strictSame(await names(app), ['isolated', 'x'])
  t.equal(await answer(app, 'isolated'), 'from afar')
  t.equal(await answer(app, 'x'), 'x')
})

t.test('a test of the folder has what its files add', async t => {
  const folder = tempFolder(t, { 'a.ts': file('a', `server.add(one('x'))`) })
  const tools = await testTools(folder.path)
  t.teardown(() => tools.close())
  t.equal((await tools.call('x')).text, 'x')
  get('a').add(one('y'))
  t.strictSame(
    (await tools.list()).map(({ name }) => name),
    ['x', 'y'],
  )
})

t.test('the example of docs/reference/tools.md follows its service', async t => {
  const example = readFileSync('test/support/examples/poller.ts', 'utf8')
  t.ok(readFileSync('docs/reference/tools.md', 'utf8').includes(`\`\`\`ts\n${example}\`\`\``))
  let state: string | undefined = 'up'
  const service = createServer((_request, response) =>
    response.end(state === undefined ? '?' : JSON.stringify({ state })),
  )
  await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve))
  t.teardown(() => service.close())
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const { app } = await serveOne(t, {
    'a.ts': example.replace('https://status.example.com/api', url).replace('10_000', '10'),
  })

  const read = async () => (await call(app, 'resources/read', { uri: 'status://now' })).result.contents[0].text
  await until(async () => (await read()) === 'up', 'the first poll')
  t.strictSame(await names(app), [])
  state = 'down'
  await until(async () => (await names(app)).includes('restart'), 'the tool')
  t.equal(await answer(app, 'restart'), 'restarted, it was down')
  state = undefined
  await until(() => logged(app, 'tool log').length > 0, 'the log')
  t.match(logged(app, 'tool log')[0], { level: 40, entry: { message: 'the status is not known' } })
  state = 'up'
  await until(async () => (await names(app)).length === 0, 'the tool to go')
})

t.test('what is added again as it is makes no line', async t => {
  const { app, announced } = await serveOne(t, { 'a.ts': file('a') })
  const again = one('x')
  for (let time = 0; time < 3; time++) get('a').add(again)
  t.equal(await announced(), 1)
  t.equal(logged(app, 'tools changed by their files').length, 1)
})

t.test('a file that forgets its default export learns what to write', async t => {
  const { app } = await serveOne(t, { 'a.ts': 'export function setup(server) {}', 'b.ts': source('b') })
  t.match(logged(app, 'tool file not loaded'), [{ reason: /write export default \[\] if its setup adds all/ }])
})
