import t from 'tap'
import type { Definition } from '../../../src/registry/catalog.ts'
import { NestedSources } from '../../../src/registry/nested-sources.ts'
import type { DefinitionSource, PutReport, SourceTarget } from '../../../src/registry/source.ts'
import { prefix, transform } from '../../../src/registry/transforms.ts'
import { composeSources, named } from '../../support/composed-sources.ts'

/** A folder with one tool of its own, whose files may have sources. */
function openFolder(transformOf = (source: DefinitionSource) => source) {
  const { sources, listTools, log } = composeSources()
  const own: readonly Definition[] = [named('own')]
  let nested: NestedSources | undefined
  sources.add(
    transformOf({
      name: 'folder',
      async start({ put, signal, log: ownLog }) {
        const putAll = () => put([...own, ...nested!.definitions])
        nested = new NestedSources({ log: ownLog, signal, explain: thrown => (thrown as Error).message, put: putAll })
        putAll()
      },
      close: () => nested!.close(),
    }),
  )
  return { start: () => sources.start().then(() => nested!), sources, listTools, log }
}

/** A source that puts what it is told to. */
function createSource(name: string, first?: readonly Definition[]) {
  const reports: PutReport[] = []
  const state = { target: undefined as SourceTarget | undefined, isClosed: false, reports }
  const source: DefinitionSource = {
    name,
    startWithinMs: 20,
    async start(target) {
      state.target = target
      if (first === undefined) throw new Error('no connection')
      reports.push(target.put(first))
    },
    async close() {
      state.isClosed = true
    },
  }
  return Object.assign(state, { source })
}

t.test('the set of a file is put with that of the folder', async t => {
  const { start, listTools } = openFolder()
  const nested = await start()
  const crm = createSource('crm', [named('a'), named('own', 'other')])
  await nested.set('crm.ts', [crm.source])
  t.strictSame(listTools(), ['a: a', 'own: own'])
  t.match(crm.reports, [{ served: [{ key: 'a' }], refused: [{ error: { message: /defined twice/ } }] }])
  crm.target!.put([named('b')])
  t.strictSame(listTools(), ['b: b', 'own: own'])
  await nested.remove('crm.ts')
  t.strictSame([listTools(), crm.isClosed, crm.target!.signal.aborted], [['own: own'], true, true])
})

t.test('a new version of a file replaces the earlier one once it has put something', async t => {
  const { start, listTools, sources } = openFolder()
  const nested = await start()
  const first = createSource('crm', [named('a', 'first')])
  await nested.set('crm.ts', [first.source])
  const broken = createSource('crm')
  await nested.set('crm.ts', [broken.source])
  t.strictSame([listTools(), first.isClosed], [['a: first', 'own: own'], false], 'a broken one keeps what was served')
  t.strictSame(nested.problems, ['crm: start: no connection'])
  const third = createSource('crm', [named('a', 'third')])
  await nested.set('crm.ts', [third.source])
  t.strictSame([listTools(), first.isClosed, broken.isClosed], [['a: third', 'own: own'], true, true])
  t.strictSame(nested.problems, [])
  await sources.close()
  t.ok(third.isClosed && third.target!.signal.aborted)
})

t.test('transforms of the folder hold for its sources', async t => {
  const { start, listTools } = openFolder(source => transform(source, prefix('x_')))
  const nested = await start()
  const crm = createSource('crm', [named('a')])
  await nested.set('crm.ts', [crm.source])
  t.strictSame(listTools(), ['x_a: a', 'x_own: own'])
  t.match(crm.reports, [{ served: [{ key: 'x_a' }] }])
})
