// Whatever the newest revision can say: each older one gets what its own schema allows, and no member of a newer one.
import t from 'tap'
import type { JsonObject } from '../../../../src/protocol/messages.ts'
import { findRevision, REVISIONS } from '../../../../src/protocol/revisions/index.ts'
import { RESULT_NAMES } from '../../../support/wire/names.ts'
import { BLOCKS, RESULTS } from '../../../support/wire/rich.ts'
import { strictOf } from '../../../support/wire/strict.ts'

const DEFINITIONS: Readonly<Record<string, string>> = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'logging/setLevel': 'EmptyResult',
  'resources/subscribe': 'EmptyResult',
  ...RESULT_NAMES,
}
const shape = (version: string, method: string, result: JsonObject) =>
  findRevision(version)!.shapeResult(method, result)
const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

for (const { version, methods } of REVISIONS) {
  t.test(`${version}: every result is of its schema, with no member that it does not know`, async t => {
    const results = RESULTS.filter(([method]) => methods.has(method))
    t.ok(results.length > 10)

    for (const [method, result] of results) {
      const shaped = shape(version, method, frozen(result))

      t.equal(strictOf(version)(DEFINITIONS[method]!, shaped), '', `${method} ${JSON.stringify(result).slice(0, 80)}`)
    }
  })

  t.test(`${version}: every content block alone is one that it knows, in tools as in prompts`, async t => {
    for (const [name, block] of Object.entries(BLOCKS)) {
      const { messages } = shape(version, 'prompts/get', { messages: [{ role: 'user', content: block }] })
      // Of one text alone, the first draft's result is the text.
      const { content, toolResult } = shape(version, 'tools/call', { content: [block, block] })

      const [message] = messages as JsonObject[]
      const shaped = message!['content']
      t.equal(strictOf(version)('PromptMessage', message), '', name)
      t.strictSame(content ?? toolResult, [shaped, shaped], `${name}: the same in both`)
    }
  })

  t.test(`${version}: no content is lost on the way`, async t => {
    const words = [
      'a text',
      'AQIDBA==',
      'file:///project/main.rs',
      'main.rs',
      'Entry point',
      'Where it begins',
      'within',
    ]

    const told = JSON.stringify(shape(version, 'tools/call', { content: Object.values(BLOCKS) }))
    const structure = shape(version, 'tools/call', { content: [BLOCKS['image']], structuredContent: { answer: 42 } })

    for (const word of words) t.match(told, word)
    t.match(JSON.stringify(structure).replaceAll('\\', ''), '{"answer":42}')
    t.match(JSON.stringify(structure), 'AQIDBA==')
  })
}

t.test('the newest says of itself what it says: the fixtures are its own', async t => {
  for (const [method, result] of RESULTS) t.strictSame(shape('2026-07-28', method, result), result)
})
