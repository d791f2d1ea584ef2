import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { answer, names, serve, source } from '../../../../test/support/tools-folder.ts'

t.test('a folder serves its sources and the index of its folders, and nothing else', async t => {
  const { app } = await serve(t, {
    'a.ts': source('a'),
    'b.js': source('b'),
    'c.mjs': source('c'),
    'd/index.ts': source('d'),
    'e/index.js': source('e'),
    'f/index.mjs': source('f'),
    '_hidden.ts': source('no1'),
    '.hidden.ts': source('no2'),
    'a.test.ts': source('no3'),
    'a.spec.js': source('no4'),
    'types.d.ts': 'export declare const no: 5',
    'd/other.ts': source('no6'),
    '_d/index.ts': source('no7'),
    '.d/index.ts': source('no8'),
    'd/deep/index.ts': source('no9'),
    'node_modules/index.ts': source('no10'),
    'notes.md': 'no',
    'data.json': '{}',
  })

  t.strictSame(await names(app), ['a', 'b', 'c', 'd', 'e', 'f'])
  t.notMatch(app.logs.text, /not loaded/)
})

t.test('a file may export several definitions, of any kind', async t => {
  const { app } = await serve(t, {
    'all.ts': `import { definePrompt, defineTool } from 'toolrack'
      const handler = () => 'hello'
      export default [
        defineTool({ name: 'a', handler }),
        { name: 'b', handler },
        definePrompt({ name: 'c', handler }),
      ]`,
  })

  t.strictSame(await names(app), ['a', 'b'])
  t.equal(await answer(app, 'b'), 'hello')
})

t.test('adding, editing and removing a file are announced once each', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a') })

  write({ 'b.ts': source('b') })
  await app.toolrack.reload()
  t.equal(await announced(), 1, 'added')
  t.strictSame(await names(app), ['a', 'b'])

  write({ 'b.ts': source('b', { description: 'new' }) })
  await app.toolrack.reload()
  t.equal(await announced(), 2, 'edited')

  write({ 'b.ts': undefined })
  await app.toolrack.reload()
  t.equal(await announced(), 3, 'removed')
  t.strictSame(await names(app), ['a'])
})

t.test('several files that change together are announced once', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a'), 'b.ts': source('b') })

  write({ 'a.ts': source('a2'), 'b.ts': undefined, 'c.ts': source('c') })
  await app.toolrack.reload()

  t.equal(await announced(), 1)
  t.strictSame(await names(app), ['a2', 'c'])
})

t.test('a save that changes nothing announces nothing', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a') })

  write({ 'a.ts': source('a') })
  await app.toolrack.reload()

  t.equal(await announced(), 0)
})

t.test('an edit of the handler alone serves the new code and announces nothing', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a', { answer: 'old' }) })
  t.equal(await answer(app, 'a'), 'old')

  write({ 'a.ts': source('a', { answer: 'new' }) })
  await app.toolrack.reload()

  t.equal(await answer(app, 'a'), 'new')
  t.equal(await announced(), 0)
})

t.test('a file that is renamed announces nothing', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a') })

  write({ 'a.ts': undefined, 'z.ts': source('a') })
  await app.toolrack.reload()

  t.strictSame(await names(app), ['a'])
  t.equal(await announced(), 0)
})

t.test('two files with the same name: the first is served, the other refused by name and place', async t => {
  const { app, write, announced } = await serve(t, {
    'a.ts': source('same', { answer: 'a' }),
    'b.ts': source('same', { answer: 'b' }),
    'c.ts': source('c'),
  })

  t.strictSame(await names(app), ['c', 'same'])
  t.equal(await answer(app, 'same'), 'a')
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool not served'),
    { level: 50, file: /b\.ts$/, reason: /same is already defined in .*a\.ts; rename or remove one$/ },
  )

  write({ 'a.ts': undefined })
  await app.toolrack.reload()

  t.equal(await answer(app, 'same'), 'b', 'the other takes over')
  t.equal(await announced(), 0)
})

t.test('a tool that moves to a file that is read before its own is served from there', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a'), 'z.ts': source('moving') })

  write({ 'a.ts': source('moving', { answer: 'moved' }), 'z.ts': source('z') })
  await app.toolrack.reload()

  t.strictSame(await names(app), ['moving', 'z'])
  t.equal(await answer(app, 'moving'), 'moved')
  t.ok((await announced()) > 0)
})

t.test('two definitions of the same name in one file: the first is served', async t => {
  const { app } = await serve(t, {
    'a.ts': `export default [
      { name: 'same', handler: () => 1 },
      { name: 'same', handler: () => 2 },
      { name: 'c', handler: () => 3 },
    ]`,
  })

  t.strictSame(await names(app), ['c', 'same'])
  t.equal(await answer(app, 'same'), '1')
  t.match(app.logs.text, /same is already defined in the same file/)
})

t.test('a file does not take the place of what the program has registered', async t => {
  const own = defineTool({ name: 'same', handler: () => 'program' })
  const { app, write } = await serve(t, { 'a.ts': source('same', { answer: 'file' }) }, { tools: [own] })
  t.equal(await answer(app, 'same'), 'program')
  t.match(app.logs.text, /same is already defined in the program/)

  write({ 'a.ts': undefined })
  await app.toolrack.reload()

  t.equal(await answer(app, 'same'), 'program')
})

t.test('an invalid tool in an array does not stop the others', async t => {
  const { app } = await serve(t, {
    'a.ts': `export default [
      { name: 'a', handler: () => 1 },
      { name: 'not a name', handler: () => 2 },
      { name: 'b', inputSchema: { type: 'object', properties: { x: { type: 'nonsense' } } }, handler: () => 3 },
      5,
      null,
      { name: 'c', handler: () => 4 },
    ]`,
  })

  t.strictSame(await names(app), ['a', 'c'])
  const refusals = app.logs.lines.filter(({ msg }) => msg === 'tool not served')
  t.match(refusals, [
    { file: /a\.ts$/, reason: /"not a name".*name/ },
    { reason: /"b": inputSchema.*properties.x.type/ },
    { reason: /is a number; write/ },
    { reason: /is null; write/ },
  ])
})
