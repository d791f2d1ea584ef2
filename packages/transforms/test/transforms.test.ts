import t from 'tap'
import { definePrompt, defineResource, defineTool } from '../../../src/index.ts'
import type { Definition } from '../../../src/registry/catalog.ts'
import { findDefinitionKind } from '../../../src/registry/definition.ts'
import type { DefinitionSource, Transform } from '../../../src/registry/source.ts'
import { composeSources, named } from '../../../test/support/composed-sources.ts'
import { describe, hide, pick, pin, prefix, rename, transform, withScopes } from '../src/transforms.ts'

const page = defineResource({ name: 'page', uri: 'docs://page', handler: () => '' })
const greet = definePrompt({ name: 'greet', handler: () => 'Hi' })
const set: readonly Definition[] = [named('get_order'), named('get_price'), named('delete_order'), page, greet]

const nameAll = (definitions: readonly Definition[]) => definitions.map(({ name }) => name)

t.test('each makes a set from a set', async t => {
  const cases: readonly [string, Transform, readonly string[]][] = [
    ['prefix', prefix('crm_'), ['crm_get_order', 'crm_get_price', 'crm_delete_order', 'page', 'crm_greet']],
    ['rename', rename({ get_order: 'order', page: 'x' }), ['order', 'get_price', 'delete_order', 'page', 'greet']],
    ['pick', pick(['get_*', 'page']), ['get_order', 'get_price', 'page']],
    ['hide', hide(['delete_*', 'greet']), ['get_order', 'get_price', 'page']],
  ]
  for (const [name, change, expected] of cases) t.strictSame(nameAll(change(set)), expected, name)
})

t.test('a set stays as it was', async t => {
  const before = set.map(definition => ({ ...definition }))
  for (const change of [prefix('x_'), describe({ get_order: 'x' }), withScopes(['x']), pin(['get_order'])]) change(set)
  t.strictSame(set, before)
})

t.test('copies keep their kind, and the same object makes the same copy', async t => {
  const change = prefix('crm_')
  const [first, second] = [change(set), change([...set])]
  t.strictSame(first.map(findDefinitionKind), ['tool', 'tool', 'tool', 'resource', 'prompt'])
  t.ok(first.every((definition, index) => definition === second[index]))
  t.equal(findDefinitionKind({ ...greet }), 'prompt', 'also those by spread')
})

t.test('describe and withScopes change what they name', async t => {
  const [order, price] = describe({ get_order: 'Finds an order.' })(set)
  t.match([order, price], [{ description: 'Finds an order.' }, { description: 'get_price' }])
  const scoped = withScopes(['crm:read'])([defineTool({ name: 'a', scopes: ['own'], handler: () => '' }), page])
  t.match(scoped, [{ scopes: ['own', 'crm:read'] }, { scopes: ['crm:read'] }])
})

t.test('what is pinned comes first in its list, in this order', async t => {
  const { sources, catalog, announced } = composeSources()
  const source = sources.open('crm')
  source.put(pin(['get_price', 'get_order'])(set))
  const list = () => catalog.tools.all().map(({ key }) => key)
  t.strictSame(list(), ['get_price', 'get_order', 'delete_order'])
  t.notOk('_meta' in catalog.tools.all()[0]!.listed)
  announced.length = 0
  source.put(pin(['delete_order'])(set))
  t.strictSame(list(), ['delete_order', 'get_order', 'get_price'])
  t.strictSame(announced, ['tools'], 'another order is news')
})

t.test('a name that is invalid or taken after a transform refuses its definition', async t => {
  const { sources, listTools } = composeSources()
  const { refused } = sources.open('crm').put(rename({ get_order: 'no spaces', get_price: 'delete_order' })(set))
  t.match(refused, [
    { error: { message: /^tool "no spaces": name / } },
    { error: { message: 'tool "delete_order": defined twice; rename or remove one' } },
  ])
  t.strictSame(listTools(), ['delete_order: get_price'])
  t.doesNotThrow(() => prefix('x_')([null, 5, {}] as never))
})

t.test('a source goes through transforms, the innermost first', async t => {
  class Crm implements DefinitionSource {
    readonly name = 'crm'
    readonly #steps: string[] = []
    async start({ put }: Parameters<DefinitionSource['start']>[0]) {
      put(set)
    }
    async reload() {
      this.#steps.push('reload')
    }
    status() {
      return { isReady: false, problems: [...this.#steps] }
    }
  }
  const { sources, catalog } = composeSources()
  sources.add(prefix('crm_', hide(['delete_*'], new Crm())))
  await sources.start()
  await sources.reload({ dropRules: false })
  t.strictSame(
    catalog.tools.all().map(({ key }) => key),
    ['crm_get_order', 'crm_get_price'],
  )
  t.strictSame(sources.problems, ['reload'])
  t.equal(sources.isReady, false)
  const both = transform(new Crm(), prefix('a_'), prefix('b_'))
  const put = (each: readonly Definition[]) => void t.equal(nameAll(each)[0], 'b_a_get_order')
  await both.start({ put } as never)
})

const unreadable = (field: string) =>
  Object.defineProperty(named('bad'), field, {
    enumerable: true,
    get() {
      throw new Error(`${field} is out`)
    },
  })

t.test('a definition that cannot be read is refused alone, also behind transforms', async t => {
  const cases: readonly [Transform, object, string][] = [
    [prefix('x_'), unreadable('name'), 'name is out'],
    [withScopes(['a']), unreadable('scopes'), 'scopes is out'],
    [pick(['*']), unreadable('name'), 'name is out'],
    [hide(['secret']), unreadable('name'), 'name is out'],
  ]
  for (const [change, bad, reason] of cases) {
    const { sources, listTools } = composeSources()
    const { refused } = sources.open('crm').put(change([named('good'), bad as never]))
    t.equal(listTools().length, 1)
    t.match(refused, [{ error: { message: reason } }])
    t.strictSame(sources.problems, [`crm: ${reason}`])
  }
})
