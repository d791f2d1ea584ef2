// Rules that a tool file exports, such as `onCall` and `visible`, hold for its definitions.
import t from 'tap'
import { call } from '../../../../test/support/app.ts'
import { answer, names, serve, source } from '../../../../test/support/tools-folder.ts'

const TOOLS = `export default ['one', 'two'].map(name => ({ name, description: name, handler: () => name }))`
const hide = (name: string) => `export const visible = tool => tool.name !== '${name}'`

t.test('rules that a tool file exports hold for each of its tools, and for no other', async t => {
  const rules = `${hide('one')}\nexport const onCall = async (call, next) => \`\${call.tool.name} by \${await next()}\``
  const { app } = await serve(t, { 'a.ts': `${rules}\n${TOOLS}`, 'b.ts': source('b') })

  t.strictSame(await names(app), ['b', 'two'])
  t.match((await call(app, 'tools/call', { name: 'one', arguments: {} })).error, { code: -32602, message: /unknown/i })
  t.equal(await answer(app, 'two'), 'two by two')
  t.equal(await answer(app, 'b'), 'b')
})

for (const file of ['a.cjs', 'a.js', 'a.ts']) {
  t.test(`a list of CommonJS has its rules beside its elements: ${file}`, async t => {
    const list = `['one', 'two'].map(name => ({ name, description: name, handler: () => name }))`
    const rule = `module.exports.visible = tool => tool.name !== 'one'`
    const { app } = await serve(t, {
      'package.json': '{ "type": "module" }',
      [file]: `module.exports = ${list}\n${rule}`,
      'b.ts': source('b'),
    })

    t.strictSame(await names(app), ['b', 'two'])
  })
}

t.test('they run within the rules of the folder, and around those of the tool itself', async t => {
  const onCall = (word: string) => `async (call, next) => \`${word} \${await next()}\``
  const { app } = await serve(t, {
    '_hooks.ts': `export const onCall = ${onCall('folder')}`,
    'a.ts': `export const onCall = ${onCall('file')}
export const visible = ({ name }) => name !== 'hidden'
const visibleToNobody = () => false
export default [
  { name: 'a', description: 'a', onCall: ${onCall('tool')}, handler: () => 'a' },
  { name: 'hidden', description: 'b', visible: () => true, handler: () => '' },
  { name: 'own', description: 'c', visible: visibleToNobody, handler: () => '' },
]`,
  })

  t.strictSame(await names(app), ['a'])
  t.equal(await answer(app, 'a'), 'folder file tool a')
})

t.test('a rule of a file that does not answer true or false hides its tools, and the log says so', async t => {
  const { app } = await serve(t, { 'a.ts': `export const visible = async () => true\n${source('a')}` })

  t.strictSame(await names(app), [])
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool hidden, since its visibility rule failed'),
    { tool: 'a', reason: /must return true or false/ },
  )
})

t.test('rules of a file follow it, and their change is announced', async t => {
  const { app, write, announced } = await serve(t, { 'a.ts': source('a') })
  t.strictSame(await names(app), ['a'])

  write({ 'a.ts': `${hide('a')}\n${source('a')}` })
  await app.toolrack.reload()
  t.strictSame(await names(app), [])
  t.equal(await announced(), 1)
  write({ 'a.ts': source('a') })
  await app.toolrack.reload()
  t.strictSame(await names(app), ['a'])
  t.equal(await announced(), 2)
})

t.test('the rules of an isolated tool run in the server, after setup', async t => {
  const { app } = await serve(t, {
    'a.ts': `let words: string[] | undefined
export const setup = () => void (words = ['set', 'up'])
export const visible = ({ name }) => words !== undefined && name !== 'hidden'
export const onCall = async (_call, next) => \`\${words?.join(' ')}: \${await next()}\`
export default ['a', 'hidden'].map(name => ({ name, description: name, isolate: true, handler: () => name }))`,
  })

  t.strictSame(await names(app), ['a'])
  t.equal(await answer(app, 'a'), 'set up: a')
})

t.test('what the rules of a file use stays open for the calls that began with them', async t => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  Object.assign(globalThis, { gateOfRules: { begun: begun.resolve, end: gate.promise } })
  t.teardown(() => delete (globalThis as { gateOfRules?: unknown }).gateOfRules)
  const rules = `let isOpen = true
export const close = () => void (isOpen = false)
export const onCall = async (_call, next) => {
  const result = await next()
  globalThis.gateOfRules.begun()
  await globalThis.gateOfRules.end
  return \`\${result}, \${isOpen ? 'open' : 'closed'}\`
}`
  const { app, write } = await serve(t, { 'a.ts': `${rules}\n${source('a')}` })

  const called = answer(app, 'a')
  await begun.promise
  write({ 'a.ts': source('a', { answer: 'new' }) })
  await app.toolrack.reload()
  t.equal(await answer(app, 'a'), 'new')
  gate.resolve()
  t.equal(await called, 'a, open')
})

const REFUSED: [what: string, exported: string, reason: RegExp][] = [
  [
    'a rule that is not a function',
    'export const visible = false',
    /^visible must be a function, not a boolean; export /,
  ],
  ['a rule that is a list', `export const onCall = []`, /^onCall must be a function, not an array; export /],
  [
    'a misspelt rule',
    'export const visble = () => false',
    /^exports visble, which nothing calls; did you mean visible\?/,
  ],
  [
    'a rule of another case',
    'export function oncall() {}',
    /^exports oncall, which nothing calls; did you mean onCall\?/,
  ],
  [
    'a misspelt rule for prompts',
    'export const visiblePromt = () => false',
    /^exports visiblePromt, which nothing calls; did you mean visiblePrompt\?/,
  ],
  [
    'a misspelt hook for resources',
    'export const onReadResources = () => 1',
    /^exports onReadResources, which nothing calls; did you mean onReadResource\?/,
  ],
  [
    'isVisible',
    'export const isVisible = () => false',
    /^exports isVisible, .*; did you mean visible\? If not, give it/,
  ],
]

for (const [what, exported, reason] of REFUSED) {
  t.test(`a tool file does not load with ${what}`, async t => {
    const { app } = await serve(t, { 'a.ts': `${exported}\n${source('a')}`, 'b.ts': source('b') })

    t.strictSame(await names(app), ['b'])
    t.match(
      app.logs.lines.find(({ msg }) => msg === 'tool file not loaded'),
      { level: 50, file: /a\.ts$/, reason },
    )
  })
}

t.test('a function of such a name that the tool uses is not a rule', async t => {
  const { app } = await serve(t, {
    'a.ts': `export const isVisible = () => true
export const recall = () => 'found'
export default { name: 'a', description: 'a', visible: isVisible, handler: recall }`,
    'b.ts': `export const recall = () => 'found'\nexport default { name: 'b', description: 'b', handler: () => recall() }`,
  })

  t.strictSame(await names(app), ['a', 'b'])
})

const OTHERS = `import { definePrompt, defineResource } from 'toolrack'
const named = (name: string) => definePrompt({ name, handler: () => name })
const read = (name: string) => defineResource({ name, uri: \`a://\${name}\`, handler: () => name })`

async function listOthers(app: Parameters<typeof call>[0]): Promise<string[]> {
  const prompts = (await call(app, 'prompts/list')).result?.prompts ?? []
  const resources = (await call(app, 'resources/list')).result?.resources ?? []
  return [...prompts, ...resources].map(({ name }) => name).filter(name => name !== 'sentinel')
}

t.test('rules for prompts and resources that a tool file exports hold for its own', async t => {
  const { app } = await serve(t, {
    '_hooks.ts': `export const onGetPrompt = async (_request, next) => 'folder ' + (await next())`,
    'a.ts': `${OTHERS}
export const visible = () => true
export const visiblePrompt = ({ name }) => name !== 'one'
export const visibleResource = ({ uri }) => uri !== 'a://three'
export const onGetPrompt = async ({ prompt }, next) => \`\${prompt.name} \${await next()}\`
export const onReadResource = async ({ uri }, next) => \`\${uri} \${await next()}\`
export default [named('one'), named('two'), read('three'), read('four')]`,
    'b.ts': `${OTHERS}\nexport default [named('other'), read('another')]`,
  })

  t.strictSame(await listOthers(app), ['other', 'two', 'another', 'four'])
  const get = async (name: string) => (await call(app, 'prompts/get', { name })).result.messages[0].content.text
  const text = async (uri: string) => (await call(app, 'resources/read', { uri })).result.contents[0].text
  t.strictSame([await get('two'), await get('other')], ['folder two two', 'folder other'])
  t.strictSame([await text('a://four'), await text('a://another')], ['a://four four', 'another'])
  t.equal((await call(app, 'prompts/get', { name: 'one' })).error.code, -32602)
})

t.test('rules for prompts that hold for no prompt of the file are refused', async t => {
  const { app } = await serve(t, {
    'a.ts': `export const visiblePrompt = () => false\n${source('a')}`,
    'b.ts': source('b'),
  })

  t.strictSame(await names(app), ['b'])
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool file not loaded'),
    { reason: /^exports visiblePrompt, and has no prompt; put it into _hooks\.ts/ },
  )
})

t.test('rules for prompts hold for those that setup adds', async t => {
  const { app } = await serve(t, {
    'a.ts': `import { definePrompt } from 'toolrack'
export const visiblePrompt = ({ name }) => name !== 'hidden'
export const setup = server => server.add(['p', 'hidden'].map(name => definePrompt({ name, handler: () => name })))
${source('a')}`,
  })

  t.strictSame(await listOthers(app), ['p'])
})

t.test('what the rules of its file cannot protect is not served', async t => {
  const { app } = await serve(t, {
    'a.ts': `import { definePrompt, defineResource } from 'toolrack'
export const visible = () => true
export default [
  { name: 'a', description: 'a', handler: () => '' },
  definePrompt({ name: 'p', handler: () => '' }),
  defineResource({ name: 'r', uri: 'docs://r', handler: () => '' }),
]`,
  })

  t.strictSame(await names(app), ['a'])
  t.equal((await call(app, 'prompts/get', { name: 'p' })).error.code, -32601)
  t.strictSame(
    app.logs.lines.filter(({ msg }) => msg === 'tool not served').map(({ reason }) => reason),
    [
      'prompt "p": visible of its file: for tools only; export visiblePrompt beside, or put it into another file',
      'resource "docs://r": visible of its file: for tools only; export visibleResource beside, or put it into another file',
    ],
  )
})
