// Composition of sources: order, one change for each set, bounds, and what becomes of each definition.
import t from 'tap'
import { definePrompt, defineResource, defineTool } from '../../../src/index.ts'
import type { PutReport } from '../../../src/registry/source.ts'
import { MAX_ALL_DEFINITIONS, MAX_DEFINITIONS } from '../../../src/registry/sources.ts'
import { composeSources, named } from '../../support/composed-sources.ts'

const many = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => named(`${prefix}_${at}`))

const summarise = ({ served, hidden, withheld, refused }: PutReport) => ({
  served: served.map(({ key }) => key),
  hidden: hidden.map(({ key, by }) => `${key} by ${by}`),
  withheld: withheld.map(({ key, needs }) => `${key} needs ${needs}`),
  refused: refused.map(({ error }) => error.message),
})

t.test('the first of a name wins, and the next comes to light when it goes', async t => {
  const { sources, listTools } = composeSources()
  const [first, second] = [sources.open('first'), sources.open('second')]
  t.strictSame(summarise(second.put([named('a', 'of the second'), named('b')])).served, ['a', 'b'])
  first.put([named('a', 'of the first')])
  t.strictSame(listTools(), ['a: of the first', 'b: b'])
  t.strictSame(summarise(second.put([named('a', 'of the second'), named('b')])), {
    served: ['b'],
    hidden: ['a by first'],
    withheld: [],
    refused: [],
  })
  first.put([])
  t.strictSame(listTools(), ['a: of the second', 'b: b'])
})

t.test('names of tools and prompts, URIs and templates of resources are apart', async t => {
  const { sources, catalog } = composeSources()
  const [first, second] = [sources.open('first'), sources.open('second')]
  first.put([
    named('a'),
    defineResource({ name: 'a', uri: 'docs://a', handler: () => '' }),
    defineResource({ name: 'a', uriTemplate: 'docs://{page}', handler: () => '' }),
  ])
  const report = second.put([
    definePrompt({ name: 'a', handler: () => '' }),
    defineResource({ name: 'other', uri: 'docs://a', handler: () => '' }),
    defineResource({ name: 'other', uriTemplate: 'docs://{page}', handler: () => '' }),
  ])
  t.strictSame(summarise(report).served, ['a'])
  t.strictSame(summarise(report).hidden, ['docs://a by first', 'docs://{page} by first'])
  t.equal(catalog.resources.size + catalog.templates.size, 2)
})

t.test('one set is one change of each list that changes', async t => {
  const { sources, announced } = composeSources()
  const source = sources.open('source')
  const prompt = definePrompt({ name: 'a', handler: () => '' })
  source.put([...many(5, 'tool'), prompt])
  t.strictSame(announced.splice(0), ['tools', 'prompts'])
  source.put([...many(3, 'tool'), prompt])
  t.strictSame(announced.splice(0), ['tools'])
  source.put([...many(3, 'tool'), prompt])
  t.strictSame(announced, [], 'other objects that look the same are no news')
  source.put([prompt])
  t.strictSame(announced, ['tools'])
})

t.test('the same object stays the same tool', async t => {
  const { sources, catalog, announced } = composeSources()
  const source = sources.open('source')
  const kept = defineTool({ name: 'kept', visible: () => true, handler: () => '' })
  source.put([kept])
  const before = catalog.tools.find('kept')
  source.put([kept, named('other')])
  t.equal(catalog.tools.find('kept'), before)
  t.strictSame(announced, ['tools', 'tools'])
})

t.test('what is hidden changes without a word', async t => {
  const { sources, announced } = composeSources()
  const [first, second] = [sources.open('first'), sources.open('second')]
  first.put([named('a')])
  announced.length = 0
  second.put([named('a', 'other')])
  second.put([named('a', 'another')])
  t.strictSame(announced, [])
})

t.test('a bad definition refuses itself, and the rest is served', async t => {
  const { sources, log } = composeSources()
  const source = sources.open('crm')
  const bad = { name: 'no spaces', handler: () => '' }
  const set = [named('a'), bad, named('b'), named('b')]
  const report = summarise(source.put(set))
  t.strictSame(report.served, ['a', 'b'])
  t.match(report.refused, [/^tool "no spaces": name /, 'tool "b": defined twice; rename or remove one'])
  t.match(sources.problems, [/^crm: tool "no spaces": name /, /^crm: tool "b": defined twice/])
  const count = log.lines.length
  t.equal(count, 2)
  source.put(set)
  t.equal(log.lines.length, count, 'it is logged once')
  source.put([named('a')])
  t.strictSame(sources.problems, [])
})

t.test('what lacks a variable, or is excluded, is withheld, and keeps its name', async t => {
  const { sources, listTools, catalog } = composeSources()
  const [first, second] = [sources.open('first'), sources.open('second')]
  const lacking = defineTool({ name: 'a', requires: ['MISSING'], handler: () => '' })
  t.strictSame(summarise(first.put([lacking, named('excluded')])).withheld, ['a needs MISSING', 'excluded needs '])
  t.strictSame(summarise(second.put([named('a')])).hidden, ['a by first'])
  t.strictSame(listTools(), [])
  first.put([defineTool({ name: 'a', requires: ['MISSING'], handler: () => '' })])
  t.strictSame(
    catalog.disabled.map(({ entry }) => entry.key),
    ['a'],
    'also if it is put anew',
  )
})

t.test('a set that is too large is refused as a whole', async t => {
  const { sources, catalog } = composeSources()
  const source = sources.open('crm')
  source.put([named('a')])
  const text = `crm: put ${MAX_DEFINITIONS + 1} definitions, and ${MAX_DEFINITIONS} is the most; what it had before stays`
  t.throws(() => source.put(many(MAX_DEFINITIONS + 1, 'x')), new RangeError(text))
  t.strictSame(sources.problems, [text])
  t.ok(catalog.tools.find('a'))
  t.throws(() => source.put('tools' as never), new TypeError('crm: put takes an array of definitions'))
  source.put([])
  t.strictSame(sources.problems, [])
})

t.test('all sources together have a bound, too', async t => {
  const { sources, catalog } = composeSources()
  // Prompts have no schemas to compile.
  const most = Array.from({ length: MAX_DEFINITIONS }, (_, at) => definePrompt({ name: `x_${at}`, handler: () => '' }))
  const names = Array.from({ length: MAX_ALL_DEFINITIONS / MAX_DEFINITIONS }, (_, at) => `source ${at}`)
  for (const name of names) sources.open(name).put(most)
  t.throws(() => sources.open('last').put([named('a')]), /last: put 1 definitions, and 0 is the most/)
  t.equal(catalog.prompts.size, MAX_DEFINITIONS)
})

t.test('what is removed stays away until its source puts another one', async t => {
  const { sources, catalog, listTools } = composeSources()
  const [first, second] = [sources.open('first'), sources.open('second')]
  const own = named('a', 'of the first')
  first.put([own])
  sources.remove(catalog.tools.find('a')!)
  first.put([own, named('b')])
  t.strictSame(listTools(), ['b: b'])
  second.put([named('a', 'of the second')])
  t.strictSame(listTools(), ['a: of the second', 'b: b'])
  first.put([named('a', 'of the first')])
  t.strictSame(listTools(), ['a: of the first'])
})

t.test('a definition that nothing can be read of is refused alone', async t => {
  const { sources, listTools } = composeSources()
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const { refused } = sources.open('crm').put([proxy as never, named('a')])
  t.equal(refused.length, 1)
  t.strictSame(listTools(), ['a: a'])
  t.match(sources.problems, [/^crm: .*revoked/])
})
