// Thousands of results that the newest revision allows, each with some of its members left out at random: whatever a
// server may say there, an older client gets nothing that its schema does not allow or know.
import t from 'tap'
import { isObject, type JsonObject } from '../../../../src/protocol/messages.ts'
import { REVISIONS } from '../../../../src/protocol/revisions/index.ts'
import { RESULT_NAMES } from '../../../support/wire/names.ts'
import { FORM, RESULTS, SAMPLING } from '../../../support/wire/rich.ts'
import { strictOf } from '../../../support/wire/strict.ts'

const ROUNDS = 60
const QUESTIONS = [
  ['elicitation.form', 'ElicitRequest', { method: 'elicitation/create', params: FORM }],
  ['sampling', 'CreateMessageRequest', { method: 'sampling/createMessage', params: SAMPLING }],
] as const

// The same numbers in every run, so that what fails once fails again.
let state = 42
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}

function thinned(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(() => random() > 0.1).map(thinned)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => random() > 0.1)
      .map(([name, member]) => [name, thinned(member)]),
  )
}

/** Variants of a value that the newest revision allows. */
function* variants<T>(value: T, isAllowed: (variant: T) => boolean): Generator<T> {
  for (let tries = 0, found = 0; tries < ROUNDS * 20 && found < ROUNDS; tries++) {
    const variant = thinned(value) as T
    if (!isAllowed(variant)) continue
    found++
    yield variant
  }
}

const newest = strictOf('2026-07-28')
const older = REVISIONS.filter(({ era }) => era === 'legacy')

for (const [method, result] of RESULTS.filter(([name]) => name in RESULT_NAMES)) {
  const definition = RESULT_NAMES[method]!
  t.test(`${method}: whatever is left out of ${Object.keys(result).join(', ')}`, async t => {
    let count = 0
    for (const variant of variants(result, each => newest(definition, each) === '')) {
      count++
      for (const { version, shapeResult } of older) {
        const shaped = shapeResult(method, variant)
        const fault = strictOf(version)(definition, shaped)
        if (fault !== '') t.fail(`${version}: ${fault}`, { variant, shaped })
      }
    }
    t.ok(count >= 10, `${count} variants`)
  })
}

for (const [kind, definition, question] of QUESTIONS) {
  t.test(`${question.method}: whatever is left out`, async t => {
    let count = 0
    const allowed = ({ method, params }: { method: string; params: JsonObject }) =>
      method === question.method && newest(definition, { method, params }) === ''
    for (const variant of variants<{ method: string; params: JsonObject }>(question, allowed)) {
      count++
      for (const { version, shapeQuestion } of older.filter(each => each.clientFeatures.has(kind))) {
        const request = shapeQuestion(variant, 'q')
        const message = version === '2025-11-25' ? { jsonrpc: '2.0', id: 'q', ...request } : request
        const fault = strictOf(version)(definition, message)
        if (fault !== '') t.fail(`${version}: ${fault}`, { variant, request })
      }
    }
    t.ok(count >= 10, `${count} variants`)
  })
}
