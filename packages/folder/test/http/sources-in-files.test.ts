// Sources that a tool file exports: what they put is served in the place of their file.
import t from 'tap'
import { definePrompt } from '../../../../src/index.ts'
import { build } from '../../../../test/support/app.ts'
import { named } from '../../../../test/support/composed-sources.ts'
import { until } from '../../../../test/support/eventually.ts'
import { answer, names, serve, source, tempFolder } from '../../../../test/support/tools-folder.ts'
import { type DefinitionSource, folder, type PutReport, prefix, type SourceTarget } from '../../../toolrack/source.ts'

interface Known {
  target?: SourceTarget
  report?: PutReport
  said: string[]
}

/** What the sources of files are and do, by their names. */
const known = new Map<string, Known>()
Object.assign(globalThis, {
  createSourceOfFile(name: string, tools: readonly string[], fault?: string): DefinitionSource {
    const state: Known = { said: [] }
    known.set(name, state)
    return {
      name,
      async start(target) {
        state.said.push('start')
        state.target = target
        if (fault !== undefined) throw new Error(fault)
        state.report = target.put(tools.map(tool => named(tool, name)))
      },
      async reload() {
        state.said.push('reload')
      },
      status: () => ({ isReady: true, problems: state.said.includes('ill') ? [`${name}: ill`] : [] }),
      async close() {
        state.said.push(`close ${state.target?.signal.aborted}`)
      },
    }
  },
})

/** Sources that do what a test has put here, by the name of a function. */
const acts = ((globalThis as { acts?: unknown }).acts = new Map<string, object>())
const acting = (...names: readonly string[]) =>
  `export default [${names.map(name => `globalThis.acts.get('${name}')`).join(', ')}]`

const crm = (name: string, tools: string, more = '') =>
  `${more}\nexport default globalThis.createSourceOfFile('${name}', ${tools})`
const get = (name: string) => known.get(name)!

t.test('a source of a file is served in its place, and changes with one announcement', async t => {
  const { app, announced } = await serve(t, {
    'a.ts': source('first'),
    'crm.source.ts': crm('crm', `['first', 'x', 'last']`),
    'z.ts': source('last', { answer: 'hidden' }),
  })
  t.strictSame(await names(app), ['first', 'last', 'x'])
  t.strictSame([await answer(app, 'first'), await answer(app, 'last')], ['first', 'crm'])
  t.match(get('crm').report, { served: [{ key: 'x' }, { key: 'last' }], hidden: [{ key: 'first', by: /a\.ts$/ }] })
  t.match(
    app.logs.lines.filter(({ msg }) => msg === 'tool not served').map(({ reason }) => reason),
    [/first is already defined in .*a\.ts/, /last is already defined in .*crm\.source\.ts/],
  )

  get('crm').target!.put([named('y', 'crm')])
  t.strictSame(await names(app), ['first', 'last', 'y'])
  t.equal(await answer(app, 'last'), 'hidden')
  t.equal(await announced(), 1)
})

t.test('the same definition stays the same tool, and an invalid one is refused alone', async t => {
  const { app, announced } = await serve(t, { 'crm.ts': crm('same', `['x']`) })
  const [x, y] = [named('x', 'same'), named('y')]
  const { target } = get('same')
  target!.put([x])
  const before = await announced()

  const report = target!.put([x, y, { ...y, name: 'not a name' }])
  t.match(report, { served: [{ key: 'x' }, { key: 'y' }], refused: [{ error: { message: /"not a name"/ } }] })
  t.strictSame(await names(app), ['x', 'y'])
  t.equal(await announced(), before + 1)
  t.match((await app.inject('/ready')).json(), { degraded: [/^same: tool "not a name"/] })
})

t.test('a new version of the file starts before the earlier one is closed, which stays if it fails', async t => {
  const { app, write } = await serve(t, { 'crm.ts': crm('one', `['x']`) })

  write({ 'crm.ts': crm('broken', `[], 'no connection'`) })
  await app.toolrack.reload()
  t.equal(await answer(app, 'x'), 'one')
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool file not loaded; its earlier tools stay'),
    { file: /crm\.ts$/, reason: 'broken: start: no connection' },
  )
  t.strictSame(get('one').said, ['start', 'reload'])
  await until(() => get('broken').said.includes('close true'), 'the close')

  write({ 'crm.ts': crm('two', `['x']`) })
  await app.toolrack.reload()
  t.equal(await answer(app, 'x'), 'two')
  await until(() => get('one').said.includes('close true'), 'the close')
  t.strictSame(get('one').target!.put([named('z')]).served, [])
  write({ 'crm.ts': undefined, 'a.ts': source('a') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a'])
  await until(() => get('two').said.includes('close true'), 'the end of the file')
})

t.test('several sources of a file: one that fails leaves the others, and a reload starts it again', async t => {
  const { app } = await serve(t, {
    'all.ts': `export default [
  globalThis.createSourceOfFile('good', ['x']),
  globalThis.createSourceOfFile('bad', ['y'], 'no connection'),
  { name: 'own', description: 'Own.', handler: () => 'own' },
]`,
  })
  t.strictSame(await names(app), ['own', 'x'])
  t.match((await app.inject('/ready')).json(), { degraded: ['bad: start: no connection'] })

  await app.toolrack.reload()
  t.strictSame(get('bad').said, ['start', 'start'])
  t.strictSame(get('good').said, ['start', 'reload'])
  get('good').said.push('ill')
  t.match((await app.inject('/ready')).json(), { degraded: ['good: ill', 'bad: start: no connection'] })
})

t.test('rules of the file hold for what its source puts, and setup runs before it', async t => {
  const rules = `let word
export const setup = () => void (word = 'set up')
export const onCall = async (_call, next) => word + ' ' + (await next())
export const visible = ({ name }) => name !== 'hidden'`
  const { app } = await serve(t, { 'crm.ts': crm('ruled', `['x', 'hidden']`, rules) })

  t.strictSame(await names(app), ['x'])
  t.equal(await answer(app, 'x'), 'set up ruled')
})

t.test('the shutdown ends the sources of files', async t => {
  const { app } = await serve(t, { 'crm.ts': crm('ending', `['x']`) })

  await app.close()
  t.strictSame(get('ending').said, ['start', 'close true'])
})

t.test('a folder behind a transform: names, the choice of tools and the log are as they are served', async t => {
  const tools = tempFolder(t, {
    'a.ts': `let word
export const setup = () => void (word = 'set up')
export default ['a', 'b'].map(name => ({ name, description: name, handler: () => word }))`,
  })
  const app = await build(t, {
    tools: [named('a', 'of the program')],
    sources: [prefix('x_', folder(tools.path))],
    toolsInclude: ['a', 'x_*'],
    watchTools: false,
  })
  t.strictSame(await names(app), ['a', 'x_a', 'x_b'])
  t.equal(await answer(app, 'x_a'), 'set up')

  tools.write({ 'c.ts': source('c') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a', 'x_a', 'x_b', 'x_c'])
  t.match(
    app.logs.lines.find(({ msg }) => msg?.startsWith('tools folder reloaded')),
    { added: 'c' },
  )
})

t.test('a status of a source that throws takes no file with it', async t => {
  const status = () => {
    throw new Error('ill')
  }
  acts.set('ill', { name: 'ill', start: async ({ put }: SourceTarget) => void put([named('x')]), status })
  const { app, write } = await serve(t, { 'a.ts': source('a'), 'ill.ts': acting('ill') })
  write({ 'b.ts': source('b') })
  await app.toolrack.reload()

  t.strictSame(await names(app), ['a', 'b', 'x'])
  t.match((await app.inject('/ready')).json(), { status: 'ready', degraded: ['ill: status: ill'] })
})

t.test('too many definitions of one file are refused, and no other is held up', async t => {
  const prompts = (count: number) =>
    Array.from({ length: count }, (_, at) => definePrompt({ name: `x${at}`, handler: () => '' }))
  acts.set('many', { name: 'many', start: async ({ put }: SourceTarget) => void put(prompts(10_001)) })
  acts.set('text', { name: 'text', start: async ({ put }: SourceTarget) => void put('tools' as never) })
  const adds = `import { definePrompt } from 'toolrack'
const prompts = Array.from({ length: 10_001 }, (_, at) => definePrompt({ name: 'y' + at, handler: () => '' }))
export const setup = server => server.add(prompts)
export default []`
  const files = { 'a.ts': source('a'), 'many.ts': acting('many'), 'text.ts': acting('text'), 'adds.ts': adds }
  const { app, write } = await serve(t, { ...files, 'crm.ts': crm('grows', `['g']`) })

  t.strictSame(await names(app), ['a', 'g'])
  t.match((await app.inject('/ready')).json().degraded, [
    /adds\.ts defines more than 10000$/,
    /many\.ts: many: start: many: put 10001 definitions, and 10000 is the most; what it had before stays/,
    /text\.ts: text: start: text: put takes an array of definitions/,
  ])
  t.throws(() => get('grows').target!.put(prompts(10_001)), RangeError)
  t.throws(() => get('grows').target!.put(prompts(10_000)), /put 10001 definitions, and 10000 is the most/)
  write({ 'b.ts': source('b') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a', 'b', 'g'])
})

t.test('of two sources of a file the first has a name, however often it puts', async t => {
  const { app } = await serve(t, {
    'all.ts': `export default [globalThis.createSourceOfFile('one', ['x']), globalThis.createSourceOfFile('two', ['x'])]`,
  })
  t.match(get('two').report, { served: [], hidden: [{ key: 'x', by: /all\.ts$/ }] })
  get('one').target!.put([named('x', 'one again')])
  t.equal(await answer(app, 'x'), 'one again')
  get('one').target!.put([])
  t.equal(await answer(app, 'x'), 'two')
})

t.test(
  'a source of a file that is starting is not started again, and each is closed whatever the others do',
  async t => {
    let [starts, closes] = [0, 0]
    acts.set('slow', {
      name: 'slow',
      async start() {
        starts++
        if (starts === 1) throw new Error('not yet')
        await new Promise(() => {})
      },
      close() {
        throw new Error('cannot')
      },
    })
    acts.set('good', {
      name: 'good',
      start: async ({ put }: SourceTarget) => void put([named('x')]),
      async close() {
        closes++
      },
    })
    const { app } = await serve(t, { 'all.ts': acting('slow', 'good') })
    const reloads = [app.toolrack.reload(), app.toolrack.reload()]
    await until(() => starts > 1, 'the second start')
    await Promise.race([Promise.all(reloads), reloads[1]])
    t.equal(starts, 2)
    await app.close()
    t.equal(closes, 1)
  },
)

t.test('a source of a file puts no isolated tool: its process could not find it', async t => {
  const isolated = { ...named('apart'), isolate: true as const }
  acts.set('isolated', { name: 'isolated', start: async ({ put }: SourceTarget) => void put([isolated, named('x')]) })
  const { app } = await serve(t, { 'all.ts': acting('isolated') })
  t.strictSame(await names(app), ['x'])
  t.match((await app.inject('/ready')).json().degraded, [
    /^isolated: tool "apart": isolate: its process could not find it/,
  ])
})
