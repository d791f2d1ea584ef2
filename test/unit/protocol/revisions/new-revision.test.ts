// A revision more is one file: all older ones follow from it, unchanged.
import t from 'tap'
import { revision20241007 } from '../../../../src/protocol/revisions/2024-10-07.ts'
import { revision20241105 } from '../../../../src/protocol/revisions/2024-11-05.ts'
import { revision20250326 } from '../../../../src/protocol/revisions/2025-03-26.ts'
import { revision20250618 } from '../../../../src/protocol/revisions/2025-06-18.ts'
import { revision20251125 } from '../../../../src/protocol/revisions/2025-11-25.ts'
import { revision20260728 } from '../../../../src/protocol/revisions/2026-07-28.ts'
import { chainRevisions } from '../../../../src/protocol/revisions/chain.ts'
import { REVISIONS } from '../../../../src/protocol/revisions/index.ts'
import { RESULTS } from '../../../support/wire/rich.ts'
import { revision20270115 } from './2027-01-15.ts'

const LATER = [revision20241105, revision20250326, revision20250618, revision20251125, revision20260728]
const chained = chainRevisions(revision20241007, [...LATER, revision20270115])
const [newest, ...older] = chained

t.test('a new revision: it comes first, knows what the one before knew, and its own method', async t => {
  t.strictSame(
    chained.map(({ version }) => version),
    ['2027-01-15', ...REVISIONS.map(({ version }) => version)],
  )
  t.strictSame([...newest!.methods], [...REVISIONS[0]!.methods, 'resources/directory/list'])
  t.notOk(older.some(({ methods }) => methods.has('resources/directory/list')))
  t.equal(newest!.era, 'modern')
})

t.test('a new revision: its own clients see its names, and nothing that is hidden from them', async t => {
  const tools = [{ name: 'a', inputSchema: { type: 'object' }, priority: 1, execution: { taskSupport: 'optional' } }]

  const listed = newest!.shapeResult('tools/list', { tools, freshForMs: 5000 })

  t.strictSame(listed, { tools: [{ name: 'a', inputSchema: { type: 'object' } }], freshForMs: 5000 })
})

t.test(
  'a new revision: clients of the one before see the older name, and what that revision hides stays hidden',
  async t => {
    const tools = [{ name: 'a', inputSchema: { type: 'object' }, priority: 1, execution: { taskSupport: 'optional' } }]

    const listed = older[0]!.shapeResult('tools/list', { tools, freshForMs: 5000 })

    t.strictSame(listed, { tools: [{ name: 'a', inputSchema: { type: 'object' }, priority: 1 }], ttlMs: 5000 })
  },
)

t.test('a new revision: no older one changes', async t => {
  for (const [index, revision] of older.entries()) {
    const { shapeResult: _shape, shapeError: _error, shapeQuestion: _question, readAnswer: _read, ...facts } = revision
    t.match(REVISIONS[index], facts, revision.version)
    for (const [method, { ttlMs, ...result }] of RESULTS) {
      const inNewest = ttlMs === undefined ? result : { ...result, freshForMs: ttlMs }
      const before = REVISIONS[index]!.shapeResult(method, ttlMs === undefined ? result : { ...result, ttlMs })
      t.strictSame(revision.shapeResult(method, inNewest), before, `${revision.version} ${method}`)
    }
  }
})
