// SAMPLES: the tools that ship, behind all others.
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { build, callTool } from '../../../../test/support/app.ts'
import { setting } from '../../../../test/support/tools/shipped.ts'
import { answer, names, serve, source } from '../../../../test/support/tools-folder.ts'

const OWN = source('calculate_sum', { answer: 'mine' })

const add = (app: Parameters<typeof callTool>[0]) => callTool(app, 'calculate_sum', { a: 2, b: 3 })

t.test('samples: without a folder they are served alone, and what they lack is told', async t => {
  for (const name of ['FILES_DIR', 'DATABASE_URL', 'SAMPLE_DATABASE']) setting(t, name, undefined)

  const app = await build(t, { samples: true })

  t.match(await add(app), { structuredContent: { sum: 5 } })
  t.match(app.toolrack.startUp, { 'tools that need': /\bread_file: FILES_DIR\b/ })
  t.notOk((await names(app)).includes('read_file'))
})

t.test('samples: they are not served by default', async t => {
  const { app } = await serve(t, { 'own.ts': source('own') })

  t.strictSame(await names(app), ['own'])
})

t.test('samples: a tool of the folder wins without a word, goes, and gives its name back', async t => {
  const { app, write } = await serve(t, { 'sum.ts': OWN, 'own.ts': source('own') }, { samples: true })

  t.equal(await answer(app, 'calculate_sum'), 'mine')
  t.ok((await names(app)).includes('get_current_time'))
  t.equal((await names(app)).filter(name => name === 'calculate_sum').length, 1)

  write({ 'sum.ts': undefined })
  await app.toolrack.reload()
  t.match(await add(app), { structuredContent: { sum: 5 } })

  write({ 'sum.ts': OWN })
  await app.toolrack.reload()
  t.equal(await answer(app, 'calculate_sum'), 'mine')
  t.strictSame(
    app.logs.lines.filter(({ level }) => level > 30),
    [],
  )
})

t.test('samples: a tool of the program wins without a word', async t => {
  const own = defineTool({ name: 'calculate_sum', description: 'Adds.', handler: () => 'mine' })

  const app = await build(t, { samples: true, tools: [own] })

  t.equal(await answer(app, 'calculate_sum'), 'mine')
  t.strictSame(
    app.logs.lines.filter(({ level }) => level > 30),
    [],
  )
})

t.test('samples: beside them a folder may be empty, also where all has to load', async t => {
  const { app, write } = await serve(t, {}, { samples: true, toolsStrict: true })

  t.match(await add(app), { structuredContent: { sum: 5 } })
  t.equal((await app.inject('/ready')).statusCode, 200)
  t.strictSame(
    app.logs.lines.filter(({ level }) => level > 30),
    [],
  )

  write({ 'own.ts': source('own') })
  await app.toolrack.reload()
  t.equal(await answer(app, 'own'), 'own')
})

t.test('samples: rules of the folder hold for them, too', async t => {
  const hooks = `export const visible = ({ name }) => name !== 'calculate_sum'`

  const { app } = await serve(t, { '_hooks.mjs': hooks, 'own.ts': source('own') }, { samples: true })

  t.notOk((await names(app)).includes('calculate_sum'))
  t.ok((await names(app)).includes('get_current_time'))
})

t.test('samples: a server whose tools folder is theirs serves them once', async t => {
  const app = await build(t, { samples: true, toolsDir: 'tools', watchTools: false })

  t.match(await add(app), { structuredContent: { sum: 5 } })
  t.strictSame(
    app.logs.lines.filter(({ level }) => level > 30),
    [],
  )
})
