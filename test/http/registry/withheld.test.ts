// What is defined and not served: what lacks its settings, and what an operator does not want.
import t, { type Test } from 'tap'
import { createServer, definePrompt, defineResource, defineTool, type ToolDefinition } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'
import { setting } from '../../support/tools/shipped.ts'
import { names, serve } from '../../support/tools-folder.ts'

const handler = () => 'x'
const needing = (name: string, ...requires: NonNullable<ToolDefinition['requires']>) =>
  defineTool({ name, requires, handler })

async function listed(app: Awaited<ReturnType<typeof build>>, method: string, key: string): Promise<string[]> {
  const { result } = await call(app, method)
  return (result?.[key] ?? []).map(({ name }: { name: string }) => name)
}

function clear(t: Test, ...variables: string[]): void {
  for (const name of variables) setting(t, name, undefined)
}

t.test('what lacks a setting is neither listed nor called, and the start-up says what it needs', async t => {
  clear(t, 'TRY_A', 'TRY_B', 'TRY_C')
  const tools = [needing('both', 'TRY_A', ['TRY_B', 'TRY_C']), needing('none')]
  const resources = [defineResource({ name: 'one', uri: 'x://one', requires: ['TRY_A'], handler })]
  const prompts = [definePrompt({ name: 'two', requires: ['TRY_A'], handler })]

  const app = await build(t, { tools, resources, prompts })

  t.strictSame(await names(app), ['none'])
  t.match((await call(app, 'tools/call', { name: 'both', arguments: {} })).error, { code: -32602 })
  t.strictSame(await listed(app, 'resources/list', 'resources'), [])
  t.strictSame(await listed(app, 'prompts/list', 'prompts'), [])
  t.match(app.toolrack.startUp, { tools: '1: none', 'tools that need': 'both: TRY_A and TRY_B or TRY_C' })
})

t.test('with its settings it is served; an empty one is none; of several either will do', async t => {
  clear(t, 'TRY_A', 'TRY_B')
  setting(t, 'TRY_C', 'x')
  const tools = [needing('either', ['TRY_B', 'TRY_C']), needing('empty', 'TRY_A')]
  setting(t, 'TRY_A', '')
  const resources = [defineResource({ name: 'one', uri: 'x://one', requires: ['TRY_C'], handler })]
  const prompts = [definePrompt({ name: 'two', requires: ['TRY_C'], handler })]

  const app = await build(t, { tools, resources, prompts })

  t.strictSame(await names(app), ['either'])
  t.strictSame(await listed(app, 'resources/list', 'resources'), ['one'])
  t.strictSame(await listed(app, 'prompts/list', 'prompts'), ['two'])
  t.match(app.toolrack.startUp, { 'tools that need': 'empty: TRY_A' })
})

t.test('a tool, a resource and a prompt whose condition is not met say what is to be done', async t => {
  clear(t, 'TRY_A')
  const unmet = [{ what: 'npm install sharp', isMet: false }, 'TRY_A']
  const met = [{ what: 'npm install sharp', isMet: true }]
  const tools = [needing('shrink', ...unmet), needing('grow', ...met)]
  const resources = [defineResource({ name: 'one', uri: 'x://one', requires: unmet, handler })]
  const prompts = [definePrompt({ name: 'two', requires: unmet, handler })]

  const app = await build(t, { tools, resources, prompts })

  t.strictSame(await names(app), ['grow'])
  t.strictSame(await listed(app, 'resources/list', 'resources'), [])
  t.strictSame(await listed(app, 'prompts/list', 'prompts'), [])
  t.match(app.toolrack.startUp, { 'tools that need': 'shrink: npm install sharp and TRY_A' })
  t.strictSame([...app.toolrack.toolSettings], ['TRY_A'])
})

t.test('requires must name variables, or conditions', async t => {
  for (const requires of ['TRY_A', ['a b'], [[]], [7], [{ what: 'x' }], [{ what: '', isMet: true }]] as never[]) {
    const tools = [defineTool({ name: 'odd', requires, handler }), ...named('even')]

    await t.rejects(createServer({ tools }), { name: 'RegistrationError', message: /odd.*requires/ })
  }
})

t.test('a tool of a program that comes to need what is missing goes, and is back without', async t => {
  clear(t, 'TRY_A')
  const app = await build(t, { tools: [defineTool({ name: 'change', handler })] })

  app.toolrack.add(needing('change', 'TRY_A'))
  t.strictSame(await names(app), [])
  t.match(app.toolrack.startUp, { 'tools that need': 'change: TRY_A' })

  app.toolrack.add(needing('change'))
  t.strictSame(await names(app), ['change'])
  t.notOk('tools that need' in app.toolrack.startUp)
})

const asking = (name: string, requires: string) =>
  `import { defineTool } from 'toolrack'
  export default defineTool({ name: '${name}', requires: [${requires}], handler: () => 'x' })`

t.test('a file that is edited to need less is served, one that is taken away is not missed', async t => {
  clear(t, 'TRY_A')
  const { app, write } = await serve(t, { 'a.ts': asking('a', "'TRY_A'"), 'b.ts': asking('b', "'TRY_A'") })
  t.strictSame(await names(app), [])

  write({ 'a.ts': asking('a', ''), 'b.ts': undefined })
  await app.toolrack.reload()

  t.strictSame(await names(app), ['a'])
  t.notOk('tools that need' in app.toolrack.startUp)
})

t.test('two files cannot define the same tool, also where neither is served', async t => {
  clear(t, 'TRY_A')
  const { app } = await serve(t, { 'a.ts': asking('a', "'TRY_A'"), 'b.ts': asking('a', "'TRY_A'") })

  t.match(app.logs.text, /tool a is already defined in [^"]*a\.ts/)
})

const named = (...all: string[]) => all.map(name => defineTool({ name, handler }))

t.test('TOOLS_INCLUDE and TOOLS_EXCLUDE choose by globs; what is excluded is not included', async t => {
  const tools = named('get_a', 'get_b', 'put_a', '.dotted', 'x.y-z')
  const chosen = async (options: object) => names(await build(t, { tools, ...options }))

  t.strictSame(await chosen({ toolsInclude: 'get_*' }), ['get_a', 'get_b'])
  t.strictSame(await chosen({ toolsExclude: ['get_*'] }), ['.dotted', 'put_a', 'x.y-z'])
  t.strictSame(await chosen({ toolsInclude: ['*_a', 'x.?-z'], toolsExclude: 'put_*' }), ['get_a', 'x.y-z'])
  t.strictSame(await chosen({ toolsInclude: '*' }), ['.dotted', 'get_a', 'get_b', 'put_a', 'x.y-z'])
})

t.test('the start-up says what was left out, and the log which glob matches nothing', async t => {
  const app = await build(t, { tools: named('get_a', 'put_a'), toolsInclude: 'get_*', toolsExclude: 'gti_*' })

  t.match(app.toolrack.startUp, { tools: '1: get_a', 'tools left out': 'put_a, by TOOLS_INCLUDE or TOOLS_EXCLUDE' })
  t.match(
    app.logs.lines.filter(({ glob }) => glob !== undefined),
    [{ level: 40, glob: 'gti_*' }],
  )
})

t.test('an unwanted tool of a program is not served when it is added later', async t => {
  const app = await build(t, { toolsExclude: 'secret_*' })

  app.toolrack.add(named('secret_a', 'open_a'))

  t.strictSame(await names(app), ['open_a'])
})

const pair = (tool: string) => `import { defineResource, defineTool } from 'toolrack'
  const handler = () => 'x'
  export default [
    defineTool({ name: '${tool}', handler }),
    defineResource({ name: 'of ${tool}', uri: 'x://${tool}', handler }),
  ]`

t.test('resources go with the tools of their file, and stay where one of these is wanted', async t => {
  const files = { 'a.ts': pair('a'), 'b.ts': pair('b') }
  const { app } = await serve(t, files, { toolsExclude: 'a' })

  t.strictSame(await names(app), ['b'])
  t.strictSame((await listed(app, 'resources/list', 'resources')).sort(), ['of b', 'sentinel'])
})

t.test('the fallback tools are asked for by their own setting', async t => {
  const app = await build(t, { tasks: { fallbackTools: true }, toolsExclude: '*' })

  t.strictSame(await names(app), ['cancel_task', 'get_task_result'])
})
