// What happens to a server whose source fails, hangs, or comes late.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { DefinitionSource, SourceTarget } from '../../../src/registry/source.ts'
import { composeSources, named } from '../../support/composed-sources.ts'
import { eventually } from '../../support/eventually.ts'

const never = () => new Promise<void>(() => {})

t.test('a source that fails to start is a problem, and a reload starts it again', async t => {
  const { sources, log, listTools } = composeSources()
  let isUp = false
  sources.add({
    name: 'crm',
    async start({ put }) {
      if (!isUp) throw new Error('no connection')
      put([named('a')])
    },
  })
  await sources.start()
  t.strictSame(sources.problems, ['crm: start: no connection'])
  t.equal(sources.isReady, true, 'the server serves the rest')
  t.match(log.lines, [{ level: 'error', fields: { source: 'crm', reason: 'no connection' } }])
  isUp = true
  await sources.reload({ dropRules: false })
  t.strictSame([listTools(), sources.problems], [['a: a'], []])
})

t.test('a start that takes longer than it may is served when it comes', async t => {
  const { sources, listTools } = composeSources()
  const late = Promise.withResolvers<void>()
  const source: DefinitionSource = {
    name: 'crm',
    startWithinMs: 20,
    async start({ put }) {
      await late.promise
      put([named('a')])
    },
  }
  sources.add(source)
  await sources.start()
  t.strictSame([listTools(), sources.problems], [[], ['crm: start: takes longer than 0.02 s']])
  late.resolve()
  await eventually(() => listTools().length === 1 && sources.problems.length === 0, 'the late set is served')
})

t.test('sources start together', async t => {
  const { sources } = composeSources()
  const begun: string[] = []
  for (const name of ['a', 'b']) {
    const start = () => {
      begun.push(name)
      return never()
    }
    sources.add({ name, startWithinMs: 20, start })
  }
  await sources.start()
  t.strictSame(begun, ['a', 'b'])
})

t.test('a failed reload is a problem until one succeeds', async t => {
  const { sources } = composeSources()
  const failures = ['timed out']
  sources.add({
    name: 'crm',
    async start() {},
    async reload() {
      const failure = failures.pop()
      if (failure !== undefined) throw new Error(failure)
    },
  })
  await sources.start()
  await sources.reload({ dropRules: false })
  t.strictSame(sources.problems, ['crm: reload: timed out'])
  await sources.reload({ dropRules: false })
  t.strictSame(sources.problems, [])
})

t.test('a status that throws is a problem', async t => {
  const { sources } = composeSources()
  const status = () => {
    throw new Error('broken')
  }
  sources.add({ name: 'crm', async start() {}, status })
  t.strictSame([sources.isReady, sources.problems], [true, ['crm: status: broken']])
})

t.test('many problems are counted, and each is one line', async t => {
  const { sources } = composeSources()
  const problems = Array.from({ length: 12 }, (_, at) => `line\n${at} ${'x'.repeat(500)}`)
  sources.add({ name: 'crm', async start() {}, status: () => ({ isReady: true, problems }) })
  t.equal(sources.problems.length, 11)
  t.match(sources.problems[0], /^line 0 x{392}…$/)
  t.equal(sources.problems[10], 'and 2 more')
})

t.test('a close aborts the signal, closes each, and ends', async t => {
  const { sources, catalog } = composeSources()
  let target: SourceTarget | undefined
  let wasAborted = false
  sources.add({
    name: 'crm',
    async start(given) {
      target = given
      given.put([named('a')])
    },
    async close() {
      wasAborted = target!.signal.aborted
      throw new Error('cannot')
    },
  })
  await sources.start()
  await sources.close()
  t.equal(wasAborted, true)
  t.strictSame(target!.put([]), { served: [], hidden: [], withheld: [], refused: [] })
  t.equal(catalog.tools.size, 1, 'a late put does nothing')
  await sleep(0)
})

t.test('a server that has closed reloads nothing', async t => {
  const { sources } = composeSources()
  let reloads = 0
  sources.add({
    name: 'crm',
    async start() {},
    async reload() {
      reloads++
    },
  })
  await sources.start()
  await sources.close()
  await sources.reload({ dropRules: false })
  t.equal(reloads, 0)
})
