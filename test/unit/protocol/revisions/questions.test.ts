// What a client is asked: in each revision a request of its own schema, and its answer read back into the newest.
import t from 'tap'
import type { JsonObject } from '../../../../src/protocol/messages.ts'
import { findRevision, REVISIONS } from '../../../../src/protocol/revisions/index.ts'
import { FORM, SAMPLING } from '../../../support/wire/rich.ts'
import { strictOf } from '../../../support/wire/strict.ts'

const form = { method: 'elicitation/create', params: FORM }
const url = { method: 'elicitation/create', params: { mode: 'url', message: 'Pay', url: 'https://example.com/pay' } }
const sampling = { method: 'sampling/createMessage', params: SAMPLING }
const roots = { method: 'roots/list', params: {} }
const QUESTIONS = [
  ['elicitation.form', 'ElicitRequest', form],
  ['elicitation.url', 'ElicitRequest', url],
  ['sampling', 'CreateMessageRequest', sampling],
  ['roots', 'ListRootsRequest', roots],
] as const

const asked = (version: string, question: { method: string; params: JsonObject }) =>
  findRevision(version)!.shapeQuestion(question, 'q1')
const fieldsOf = ({ params }: { params?: JsonObject }) =>
  (params!['requestedSchema'] as JsonObject)['properties'] as JsonObject

for (const { version, clientFeatures } of REVISIONS) {
  t.test(`${version}: every question is of its schema, with no member that it does not know`, async t => {
    for (const [kind, definition, question] of QUESTIONS) {
      if (!clientFeatures.has(kind)) continue
      const request = asked(version, structuredClone(question))

      // From 2025-11-25 to before 2026-07-28 the envelope is a part of the definition.
      const message = version === '2025-11-25' ? { jsonrpc: '2.0', id: 'q1', ...request } : request
      t.equal(strictOf(version)(definition, message), '', kind)
    }
  })
}

t.test('what may be asked grows with the revisions', async t => {
  t.strictSame(
    REVISIONS.map(({ version, clientFeatures }) => [version, [...clientFeatures].sort().join(' ')]),
    [
      ['2026-07-28', 'elicitation.form elicitation.url roots sampling sampling.context sampling.tools'],
      ['2025-11-25', 'elicitation.form elicitation.url roots sampling sampling.context sampling.tools'],
      ['2025-06-18', 'elicitation.form roots sampling sampling.context'],
      ['2025-03-26', 'roots sampling sampling.context'],
      ['2024-11-05', 'roots sampling sampling.context'],
      ['2024-10-07', 'roots sampling sampling.context'],
    ],
  )
})

t.test('2025-11-25: a question by URL has an id', async t => {
  t.strictSame(asked('2025-11-25', url).params, { ...url.params, elicitationId: 'q1' })
  t.equal(asked('2025-11-25', roots), roots)
})

t.test('2025-11-25: the tools of a sampling request, and what they gave, are its own', async t => {
  const { tools, messages } = asked('2025-11-25', sampling).params as Record<string, JsonObject[]>

  t.strictSame(
    tools!.filter(tool => 'outputSchema' in tool).map(({ name }) => name),
    ['everything'],
  )
  t.match(messages![3], {
    content: [{ content: [{}, {}, { type: 'text', text: '[1]' }] }, { structuredContent: { n: 1 } }],
  })
})

t.test('2025-06-18: choices have enumNames, and only yes or no a default', async t => {
  const fields = fieldsOf(asked('2025-06-18', form))

  t.strictSame(fields['colour'], { type: 'string', enum: ['#f00', '#0f0'], enumNames: ['Red', 'Green'] })
  t.strictSame(fields['size'], { type: 'string', enum: ['s', 'm'] })
  t.strictSame(fields['gift'], { type: 'boolean', title: 'Gift', default: false })
  t.strictSame(fields['count'], { type: 'integer', minimum: 1, maximum: 9 })
})

t.test('a pattern is said in words, where no page names it', async t => {
  const properties = {
    code: { type: 'string', description: 'A code', pattern: '^[A-Z]+$' },
    bare: { type: 'string', pattern: '^a' },
  }
  const patterned = { method: form.method, params: { ...FORM, requestedSchema: { type: 'object', properties } } }

  for (const version of ['2026-07-28', '2025-06-18'])
    t.strictSame(fieldsOf(asked(version, patterned)), {
      code: { type: 'string', description: 'A code. Must match ^[A-Z]+$' },
      bare: { type: 'string', description: 'Must match ^a' },
    })
  t.strictSame(fieldsOf(asked('2025-11-25', patterned)), properties)
})

t.test('a question has metadata where its revision names it', async t => {
  const _meta = { 'example.com/trace': 'a1' }
  const has = (version: string, { method, params }: { method: string; params: JsonObject }) =>
    '_meta' in asked(version, { method, params: { ...params, _meta } }).params!

  for (const { version, clientFeatures } of REVISIONS)
    for (const [kind, , question] of QUESTIONS)
      if (clientFeatures.has(kind))
        t.equal(has(version, question), kind === 'roots' || version === '2025-11-25', `${version} ${kind}`)
})

t.test('2026-07-28: the questions within a result, and those of a task, are as any other', async t => {
  const { shapeResult } = findRevision('2026-07-28')!
  const open = {
    q: { method: 'sampling/createMessage', params: { ...SAMPLING, _meta: { 'example.com/trace': 'a1' } } },
  }
  const told = { q: { method: 'sampling/createMessage', params: SAMPLING } }

  for (const method of ['tools/call', 'prompts/get', 'resources/read', 'tasks/get'])
    t.strictSame(shapeResult(method, { inputRequests: open, more: 1 }), { inputRequests: told, more: 1 })
})

t.test('2025-06-18: a choice of several is a line of text, which says what may be written', async t => {
  const fields = fieldsOf(asked('2025-06-18', form))

  t.strictSame(fields['extras'], {
    type: 'string',
    title: 'Extras',
    description: 'Several of these, with "," between them: bow, card',
  })
  t.strictSame(fields['toppings'], {
    type: 'string',
    description: 'On top. Several of these, with ";" between them: a (Apple); b (Bread, fried)',
    minLength: 1,
  })
})

t.test('2025-06-18: the line that was written is read back as the choices', async t => {
  const read = (content: unknown) => findRevision('2025-06-18')!.readAnswer(form, { action: 'accept', content })
  const is = (content: object) => ({ action: 'accept', content })

  t.strictSame(read({ name: 'a,b', extras: 'bow, card', toppings: 'a; Bread, fried' }), {
    ...is({ name: 'a,b', extras: ['bow', 'card'], toppings: ['a', 'b'] }),
  })
  t.strictSame(read({ extras: '', toppings: ' a ;' }), is({ extras: [], toppings: ['a'] }))
  t.strictSame(read({ extras: 'bow, string' }), is({ extras: ['bow', 'string'] }), 'what is none is found wrong later')
  t.strictSame(read({ extras: ['bow'], more: 'a, b' }), is({ extras: ['bow'], more: 'a, b' }))
  t.strictSame(findRevision('2025-06-18')!.readAnswer(form, { action: 'decline' }), { action: 'decline' })
  t.strictSame(findRevision('2025-06-18')!.readAnswer(roots, { roots: [] }), { roots: [] })
  t.equal(findRevision('2025-06-18')!.readAnswer(form, undefined), undefined)
  t.strictSame(findRevision('2025-11-25')!.readAnswer(form, is({ extras: 'bow' })), is({ extras: 'bow' }))
})

t.test('2025-06-18: a message of a sampling request has one block, and none of tools', async t => {
  const { messages, ...rest } = asked('2025-06-18', sampling).params as { messages: JsonObject[] } & JsonObject

  t.strictSame(
    messages.map(({ role, content }) => [role, (content as JsonObject)['type']]),
    [
      ['user', 'text'],
      ['user', 'image'],
      ['user', 'audio'],
      ['assistant', 'text'],
      ['user', 'text'],
      ['user', 'text'],
    ],
  )
  t.match(messages[3], { content: { text: /^\{"type":"tool_use".*"look"/ } })
  t.notOk('tools' in rest || 'toolChoice' in rest)
})

t.test('2024-11-05: sound in a sampling request becomes a text that holds it', async t => {
  for (const version of ['2024-11-05', '2024-10-07']) {
    const { messages } = asked(version, sampling).params as { messages: JsonObject[] }

    t.match(messages[2], { content: { type: 'text', text: 'Audio (audio/wav): data:audio/wav;base64,AQIDBA==' } })
  }
})
