// A tools folder among other sources: who has a name, what transforms do to it, and what folders share.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { build } from '../../../../test/support/app.ts'
import { named } from '../../../../test/support/composed-sources.ts'
import { until } from '../../../../test/support/eventually.ts'
import { setting } from '../../../../test/support/tools/shipped.ts'
import { answer, names, source, tempFolder } from '../../../../test/support/tools-folder.ts'
import {
  type DefinitionSource,
  folder,
  prefix,
  rename,
  type SourceTarget,
  transform,
} from '../../../toolrack/source.ts'

const degraded = async (app: Awaited<ReturnType<typeof build>>) => {
  const reply = await app.inject('/ready')
  return [reply.statusCode, ...(reply.json().degraded ?? [])]
}

/** Says whether its `setup` has run. */
const setUp = (name: string) => `let word = 'not set up'
export const setup = () => void (word = 'set up')
export default { name: '${name}', description: '${name}', handler: () => word }`

t.test('a name that is free again is that of the folder, whose file is set up then', async t => {
  let target: SourceTarget | undefined
  const other: DefinitionSource = {
    name: 'other',
    async start(given) {
      target = given
      given.put([named('b', 'of the other'), named('c', 'of the other')])
    },
  }
  const files = { 'a.ts': source('a'), 'b.ts': source('b'), 'c.ts': setUp('c') }
  const app = await build(t, {
    tools: [named('a', 'of the program')],
    sources: [other, folder(tempFolder(t, files).path)],
    watchTools: false,
  })
  t.equal(await answer(app, 'c'), 'of the other')
  t.equal((await degraded(app)).length, 4)

  app.toolrack.remove('a')
  target!.put([])
  t.strictSame([await answer(app, 'a'), await answer(app, 'b')], ['a', 'b'], 'at once')
  await until(async () => (await answer(app, 'c')) === 'set up', 'the setup')
  t.strictSame(await degraded(app), [200])

  app.toolrack.add(named('a', 'of the program'))
  await app.toolrack.reload()
  app.toolrack.remove('a')
  t.equal(await answer(app, 'a'), 'a', 'also if it was hidden while the folder was read')
})

t.test('what a transform makes unfit is told with its file, and counts where all has to load', async t => {
  const tools = tempFolder(t, { 'a.ts': source('a'), 'b.ts': source('b') })
  const app = await build(t, {
    toolsStrict: true,
    sources: [rename({ a: 'no spaces', b: 'fine' }, folder(tools.path))],
    watchTools: false,
  })
  t.strictSame(await names(app), ['fine'])
  t.match(await degraded(app), [503, /a\.ts: tool "no spaces": name /])
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool not served'),
    { file: /a\.ts$/ },
  )

  tools.write({ 'a.ts': source('b2') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['b2', 'fine'])
  t.strictSame(await degraded(app), [200])
})

t.test('a transform that throws later is told, and what was served stays', async t => {
  let fault: Error | undefined
  const fail = <T>(set: T): T => {
    if (fault !== undefined) throw fault
    return set
  }
  const tools = tempFolder(t, { 'a.ts': source('a') })
  const app = await build(t, { sources: [transform(folder(tools.path), fail)], watchTools: false })
  t.strictSame(await names(app), ['a'])
  fault = new Error('no mapping')
  tools.write({ 'a.ts': undefined })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a'])
  t.match(await degraded(app), [200, /it could not be loaded \(no mapping\)$/])
  fault = undefined
  await app.toolrack.reload()
  t.strictSame(await names(app), [])
  t.strictSame(await degraded(app), [200])
})

t.test('samples give way to all sources', async t => {
  const own: DefinitionSource = {
    name: 'own',
    start: async ({ put }) => void put([named('calculate_sum', 'mine')]),
  }
  const app = await build(t, { samples: true, sources: [own] })
  t.equal(await answer(app, 'calculate_sum'), 'mine')
  t.ok((await names(app)).includes('get_current_time'))
})

t.test('a variable that a file has is renewed for all folders', async t => {
  const file = join(tempFolder(t).path, 'token')
  writeFileSync(file, 'one')
  for (const [name, value] of Object.entries({ SHARED_TOKEN_FILE: file, SHARED_TOKEN: undefined }))
    setting(t, name, value)
  const tool = (name: string) => `const token = process.env['SHARED_TOKEN']
export default { name: '${name}', description: '${name}', handler: () => token }`
  const folders = ['a', 'b'].map(name => folder(tempFolder(t, { [`${name}.ts`]: tool(name) }).path))
  const app = await build(t, { sources: folders, watchTools: false })
  t.strictSame([await answer(app, 'a'), await answer(app, 'b')], ['one', 'one'])
  writeFileSync(file, 'two')
  await app.toolrack.reload()
  t.strictSame([await answer(app, 'a'), await answer(app, 'b')], ['two', 'two'])
})

t.test('while hooks of one folder have never loaded, no other folder is served', async t => {
  const [tools, rules] = [tempFolder(t, { 'a.ts': source('a'), 'b.ts': source('b') }), tempFolder(t)]
  rules.write({ '_hooks.ts': 'export const visible =' })
  const app = await build(t, {
    sources: [prefix('x_', folder(tools.path)), folder(rules.path), folder(`${rules.path}/later`)],
    toolsStrict: true,
    watchTools: false,
  })
  t.strictSame(await names(app), [])
  t.match(await degraded(app), [
    503,
    /^tools folder .*: it is not served before the hooks of all folders are known$/,
    /_hooks\.ts/,
  ])

  rules.write({ '_hooks.ts': `export const visible = ({ name }) => name !== 'x_b'` })
  await app.toolrack.reload()
  await until(async () => (await names(app)).length > 0, 'the other folder')
  t.strictSame(await names(app), ['x_a'])
})
