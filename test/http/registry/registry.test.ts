import t from 'tap'
import { definePrompt, defineTool, Type } from '../../../src/index.ts'
import { MAX_PAGES_SIZE, Registry } from '../../../src/registry/registry.ts'
import { build, call } from '../../support/app.ts'

const entry = (key: string, text = '') => {
  const listed = { name: key, text }
  return { key, listed, json: JSON.stringify(listed), scopes: [] }
}

function filled(...keys: string[]) {
  let changes = 0
  const registry = new Registry(() => changes++)
  registry.change(
    [],
    keys.map(key => entry(key)),
  )
  return { registry, changes: () => changes }
}

const keysOf = (registry: { all(): readonly { key: string }[] }) => registry.all().map(({ key }) => key)

t.test('entries are in the order of the code units of their keys, whenever they came', async t => {
  const { registry } = filled('b', 'a', 'é', 'Z', 'a.b', 'a-b', '1', 'a_b')

  registry.change(['b'], [entry('0')])

  t.strictSame(keysOf(registry), ['0', '1', 'Z', 'a', 'a-b', 'a.b', 'a_b', 'é'])
})

t.test('the digest is that of what is listed, in whatever order it came', async t => {
  const { registry } = filled('a', 'b')

  t.equal(registry.digest, filled('b', 'a').registry.digest)
  t.not(registry.digest, filled('a').registry.digest)
  t.not(registry.digest, filled('a', 'b', 'c').registry.digest)

  const before = registry.digest
  registry.change(['a'], [])
  t.not(registry.digest, before)
  registry.change([], [entry('a')])
  t.equal(registry.digest, before)
  registry.change([], [entry('a', 'new')])
  t.not(registry.digest, before)
})

t.test('a change is announced once, and only where something that is listed has changed', async t => {
  const { registry, changes } = filled('a', 'b')
  t.equal(changes(), 1)

  t.equal(registry.change([], [entry('a')]), false, 'the same again')
  t.equal(registry.change(['a'], [entry('a')]), false, 'taken away and put back')
  t.equal(registry.change(['c'], []), false, 'taken away what was not there')
  t.equal(registry.change([], []), false)
  t.equal(changes(), 1)

  t.equal(registry.change(['a'], [entry('b', 'new'), entry('c')]), true)
  t.equal(changes(), 2)
})

t.test('what changes without being listed is served', async t => {
  const { registry } = filled('a')
  const again = entry('a')

  registry.change([], [again])

  t.equal(registry.find('a'), again)
  t.equal(registry.all()[0], again)
})

t.test('a page is written once for as long as nothing changes', async t => {
  const { registry } = filled('a', 'b', 'c')
  let written = 0
  const write = ({ entries, next }: { entries: readonly { key: string }[]; next: number | undefined }) => {
    written++
    return `${entries.map(({ key }) => key)} ${next}`
  }
  const writer = { variant: 'newest', write }

  t.equal(registry.page(0, 2, writer), 'a,b 2')
  t.equal(registry.page(2, 2, writer), 'c undefined')
  t.equal(registry.page(0, 2, writer), 'a,b 2')
  t.equal(written, 2)

  registry.change([], [entry('b')])
  registry.page(0, 2, writer)
  t.equal(written, 2)

  registry.change(['a'], [])
  t.equal(registry.page(0, 2, writer), 'b,c undefined')
  t.equal(written, 3)

  t.equal(registry.page(0, 2, { variant: 'older', write: () => 'another' }), 'another')
  t.equal(registry.page(0, 2, writer), 'b,c undefined')
})

t.test('what is kept of pages is bounded in size: the oldest variant goes, the one that is read stays', async t => {
  const { registry } = filled('a')
  const written: string[] = []
  const read = (variant: string, size: number) =>
    registry.page(0, 1, {
      variant,
      write() {
        written.push(variant)
        return 'x'.repeat(size)
      },
    })

  read('old', MAX_PAGES_SIZE / 2)
  read('new', MAX_PAGES_SIZE / 2)
  read('old', 1)
  t.strictSame(written, ['old', 'new'])
  read('more', 1)
  read('new', 1)
  t.strictSame(written, ['old', 'new', 'more'])
  read('old', MAX_PAGES_SIZE)
  read('old', 1)
  t.strictSame(written, ['old', 'new', 'more', 'old'])
  read('new', 1)
  t.strictSame(written, ['old', 'new', 'more', 'old', 'new'])
})

t.test('tools/list: a thousand tools are one page by default', async t => {
  const many = Array.from({ length: 1001 }, (_, index) => defineTool({ name: `tool_${index}`, handler: () => '' }))
  const app = await build(t, { tools: many })

  const { result } = await call(app, 'tools/list')

  t.equal(result.tools.length, 1000)
  t.type(result.nextCursor, 'string')
})

const tools = ['a', 'b', 'c', 'd', 'e'].map(name => defineTool({ name, handler: () => name }))

t.test('tools/list: the pages hold every tool once, and the last has no cursor', async t => {
  const app = await build(t, { tools, pageSize: 2 })
  const pages: string[][] = []
  let cursor: string | undefined

  do {
    const { result } = await call(app, 'tools/list', cursor === undefined ? {} : { cursor })
    pages.push(result.tools.map(({ name }: { name: string }) => name))
    cursor = result.nextCursor
  } while (cursor !== undefined)

  t.strictSame(pages, [['a', 'b'], ['c', 'd'], ['e']])
})

t.test('tools/list: a page that is just full has no cursor', async t => {
  const app = await build(t, { tools, pageSize: 5 })

  const { result } = await call(app, 'tools/list')

  t.equal(result.tools.length, 5)
  t.equal(result.nextCursor, undefined)
})

t.test('tools/list: a cursor of a list that has changed since is refused with -32602', async t => {
  const app = await build(t, { tools, pageSize: 2 })
  const { result } = await call(app, 'tools/list')

  app.toolrack.remove('e')
  const stale = await call(app, 'tools/list', { cursor: result.nextCursor })
  app.toolrack.add(tools[4]!)
  const fresh = await call(app, 'tools/list', { cursor: result.nextCursor })

  t.match(stale, { status: 200, error: { code: -32602, message: /changed/ } })
  t.match(fresh.result.tools, [{ name: 'c' }, { name: 'd' }], 'the list is as it was')
})

t.test('tools/list: a cursor outlives a change of a handler', async t => {
  const app = await build(t, { tools, pageSize: 2 })
  const { result } = await call(app, 'tools/list')

  app.toolrack.add(defineTool({ name: 'a', handler: () => 'new' }))

  const { result: second } = await call(app, 'tools/list', { cursor: result.nextCursor })
  t.match(second.tools, [{ name: 'c' }, { name: 'd' }])
})

t.test('tools/list: a cursor of another replica with the same secret is good', async t => {
  const options = { tools, pageSize: 2, stateSecret: 's'.repeat(32) }
  const [one, other] = [await build(t, options), await build(t, { ...options, tools: tools.toReversed() })]
  const { result } = await call(one, 'tools/list')

  const { result: second } = await call(other, 'tools/list', { cursor: result.nextCursor })

  t.match(second.tools, [{ name: 'c' }, { name: 'd' }])
})

for (const [what, change] of [
  ['of another list', async (app: Parameters<typeof call>[0]) => (await call(app, 'prompts/list')).result.nextCursor],
  ['of another server', () => build(t, { tools, pageSize: 2 }).then(cursorOf)],
  ['that was changed', async (app: Parameters<typeof call>[0]) => `${await cursorOf(app)}A`],
  ['that is empty', () => ''],
] as const) {
  t.test(`tools/list: a cursor ${what} is refused with -32602`, async t => {
    const prompts = ['a', 'b', 'c'].map(name => definePrompt({ name, handler: () => '' }))
    const app = await build(t, { tools, prompts, pageSize: 2 })

    const reply = await call(app, 'tools/list', { cursor: await change(app) })

    t.match(reply, { error: { code: -32602 } })
  })
}

async function cursorOf(app: Parameters<typeof call>[0]): Promise<string> {
  return (await call(app, 'tools/list')).result.nextCursor
}

t.test('tools/list: equal requests have equal answers, to the byte', async t => {
  const typed = defineTool({
    name: 'z',
    inputSchema: Type.Object({ b: Type.String(), a: Type.String() }),
    handler() {},
  })
  const app = await build(t, { tools: [...tools, typed] })

  const [one, other] = [await call(app, 'tools/list'), await call(app, 'tools/list')]

  t.equal(JSON.stringify(one.result), JSON.stringify(other.result))
  t.match(one.result, { ttlMs: 60_000, cacheScope: 'public' })
})
