// A definition that is refused on a reload leaves what was served, as a file that does not load does.
import t from 'tap'
import { call } from '../../../../test/support/app.ts'
import { answer, names, serve, serveFolder, source, tempFolder } from '../../../../test/support/tools-folder.ts'

const STAYS = 'tool not served; its earlier version stays'
const tool = (fields: string) => `import { Type } from 'toolrack'
export default { name: 'a', description: 'a', handler: () => 'new', ${fields} }`

const REFUSED: [what: string, fields: string, reason: RegExp][] = [
  ['a misspelt field', `desciption: 'a'`, /desciption is not a known property; did you mean description\?/],
  ['a field of a wrong type', `title: 5`, /title must be string/],
  ['a handler that is not a function', `handler: 'x'`, /no function as its handler/],
  ['a bad schema', `inputSchema: { type: 'object', properties: { a: { type: 'text' } } }`, /inputSchema: /],
  ['a bad pattern', `inputSchema: Type.Object({ a: Type.String({ pattern: '(?=a)b' }) })`, /linear time/],
  ['a bad result schema', `outputSchema: { minimum: 'low' }`, /outputSchema: /],
  ['a rule that is not a function', `visible: true`, /visible must be a function/],
  ['a window that is not a time', `rateLimit: { max: 1, timeWindow: 'soon' }`, /"soon" is not a time/],
  ['a name that is not one', `name: 'a b'`, /name must match/],
]

for (const [what, fields, reason] of REFUSED) {
  t.test(`${what} leaves the tool that was served, until it is mended`, async t => {
    const { app, write, announced } = await serve(t, { 'a.ts': source('a', { answer: 'old' }) }, { toolsStrict: true })

    write({ 'a.ts': tool(fields) })
    await app.toolrack.reload()
    t.equal(await answer(app, 'a'), 'old')
    t.equal(await announced(), 0)
    const line = app.logs.lines.findLast(({ level }) => level === 50)
    t.match(line, { msg: /^tool (?:not served|file not loaded)/, file: /a\.ts$/, reason })
    const ready = await app.inject('/ready')
    t.equal(ready.statusCode, 200)
    t.match(ready.json().degraded, [reason])

    write({ 'a.ts': tool('') })
    await app.toolrack.reload()
    t.equal(await answer(app, 'a'), 'new')
    t.strictSame((await app.inject('/ready')).json(), { status: 'ready' })
  })
}

const list = (...tools: string[]) => `export default [${tools.join(', ')}]`
const one = (name: string, answer: string, fields = '') =>
  `{ name: '${name}', description: 'd', handler: () => '${answer}', ${fields} }`

t.test('the others of the file are served as they are now', async t => {
  const { app, write } = await serve(t, { 'a.ts': list(one('a', 'old'), one('b', 'old')) })

  write({ 'a.ts': list(one('a', 'new'), one('b', 'new', 'desciption: 1'), one('c', 'new')) })
  await app.toolrack.reload()
  t.strictSame([await answer(app, 'a'), await answer(app, 'b'), await answer(app, 'c')], ['new', 'old', 'new'])
  t.ok(app.logs.lines.some(({ msg }) => msg === STAYS))

  write({ 'a.ts': list(one('a', 'newer'), one('b', 'newer', 'desciption: 1')) })
  await app.toolrack.reload()
  t.strictSame([await answer(app, 'a'), await answer(app, 'b'), await answer(app, 'c')], ['newer', 'old', 'new'])

  write({ 'a.ts': list(one('a', 'newest'), one('b', 'newest')) })
  await app.toolrack.reload()
  t.strictSame([await answer(app, 'a'), await answer(app, 'b')], ['newest', 'newest'])
  t.strictSame(await names(app), ['a', 'b'])
})

t.test('what is refused may be a definition under a new name: what is not defined any more stays', async t => {
  const { app, write } = await serve(t, { 'a.ts': source('a'), 'b.ts': source('b') })

  write({ 'b.ts': source('a') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a', 'b'])
  t.equal(app.logs.lines.filter(({ msg }) => msg === 'tool not served').length, 1)

  write({ 'b.ts': list(one('c', 'c'), '5') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a', 'b', 'c'])
  write({ 'b.ts': source('c') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a', 'c'])
})

t.test('a file that is removed takes with it what stayed', async t => {
  const { app, write } = await serve(t, { 'a.ts': source('a'), 'b.ts': source('b') })

  write({ 'b.ts': tool('desciption: 1').replace(`'a'`, `'b'`) })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a', 'b'])
  write({ 'b.ts': undefined })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a'])
})

t.test('two files that exchange their tools are no reason to keep the earlier ones', async t => {
  const { app, write } = await serve(t, { 'a.ts': source('x', { answer: 'a' }), 'b.ts': source('y', { answer: 'b' }) })

  write({ 'a.ts': source('y', { answer: 'a' }), 'b.ts': source('x', { answer: 'b' }) })
  await app.toolrack.reload()
  t.strictSame([await answer(app, 'x'), await answer(app, 'y')], ['b', 'a'])
  await app.toolrack.reload()
  t.strictSame(await names(app), ['x', 'y'])
})

t.test('an earlier folder takes the name of what stayed', async t => {
  const [one, two] = [tempFolder(t), tempFolder(t, { 'a.ts': source('a', { answer: 'two' }) })]
  const { app } = await serveFolder(t, [one.path, two.path])

  two.write({ 'a.ts': tool('desciption: 1') })
  await app.toolrack.reload()
  t.equal(await answer(app, 'a'), 'two')
  one.write({ 'a.ts': source('a', { answer: 'one' }) })
  await app.toolrack.reload()
  t.equal(await answer(app, 'a'), 'one')
})

t.test('resources and prompts stay, too', async t => {
  const file = (fields: string) => `import { definePrompt, defineResource } from 'toolrack'
export default [
  defineResource({ name: 'r', uri: 'docs://r', handler: () => 'text', ${fields} }),
  definePrompt({ name: 'p', handler: () => 'text', ${fields} }),
]`
  const { app, write } = await serve(t, { 'a.ts': file('') })

  write({ 'a.ts': file('icons: 5') })
  await app.toolrack.reload()
  t.match((await call(app, 'resources/read', { uri: 'docs://r' })).result, { contents: [{ text: 'text' }] })
  t.match((await call(app, 'prompts/get', { name: 'p' })).result, { messages: [{ content: { text: 'text' } }] })
})

t.test('what stays keeps open what its version has opened, and no other version does', async t => {
  const opened: string[] = []
  Object.assign(globalThis, { openedByVersions: opened })
  t.teardown(() => delete (globalThis as { openedByVersions?: unknown }).openedByVersions)
  const file = (version: string, more = '') => `
export const setup = () => void globalThis.openedByVersions.push('${version}')
export const close = () => void globalThis.openedByVersions.splice(globalThis.openedByVersions.indexOf('${version}'), 1)
${list(`{ name: 'a', description: 'a', handler: () => globalThis.openedByVersions.join(), ${more} }`, one('b', version))}`
  const { app, write } = await serve(t, { 'a.ts': file('first') })

  for (const version of ['second', 'third']) {
    write({ 'a.ts': file(version, 'desciption: 1') })
    await app.toolrack.reload()
    t.equal(await answer(app, 'a'), `first,${version}`)
    t.equal(await answer(app, 'b'), version)
  }
  write({ 'a.ts': file('fourth') })
  await app.toolrack.reload()
  t.equal(await answer(app, 'a'), 'fourth')
})
