// testTools: the questions of a tool are answered as the test has written it down.
import t, { type Test } from 'tap'
import { defineTool, type ToolContext } from '../../../../src/index.ts'
import { QuestionError, type ScriptedAnswer, type TestOptions, testTools } from '../../src/index.ts'

const form = {
  message: 'Cancel order 1?',
  requestedSchema: {
    type: 'object' as const,
    properties: { sure: { type: 'boolean' }, why: { type: 'string', enum: ['late', 'broken'] } },
    required: ['sure'],
  },
}

/** A tool that asks, and returns the answer. */
async function asking(t: Test, ask: (ctx: ToolContext) => Promise<unknown>, options: TestOptions = {}) {
  const tools = await testTools(
    defineTool({ name: 'ask', handler: async (_, ctx) => JSON.stringify(await ask(ctx)) }),
    options,
  )
  t.teardown(() => tools.close())
  return tools
}

t.test('a form is accepted with the content, or answered by an action or a whole result', async t => {
  const tools = await asking(t, ctx => ctx.elicit('confirm', form))
  const answer = async (confirm: ScriptedAnswer) =>
    JSON.parse((await tools.call('ask', {}, { answers: { confirm } })).text)

  t.strictSame(await answer({ sure: true }), { action: 'accept', content: { sure: true } })
  t.strictSame(await answer('decline'), { action: 'decline' })
  await t.rejects(answer('accept'), { message: /^The answer to "confirm" is not taken: sure / })
  await t.rejects(answer({ action: 'accept' }), { message: /^The answer to "confirm" is not taken: sure / })
  t.strictSame(await answer('cancel'), { action: 'cancel' })
  t.strictSame(await answer({ action: 'accept', content: { sure: false } }), {
    action: 'accept',
    content: { sure: false },
  })
})

t.test('the result has the questions, and the answers of testTools are a default', async t => {
  const tools = await asking(t, ctx => ctx.elicit('confirm', form), { answers: { confirm: 'decline' } })

  const { text, questions } = await tools.call('ask')

  t.equal(text, '{"action":"decline"}')
  t.match(questions, [{ key: 'confirm', method: 'elicitation/create', mode: 'form', ...form }])
  t.equal((await tools.call('ask', {}, { answers: { confirm: 'cancel' } })).text, '{"action":"cancel"}')
})

t.test('ctx.confirm is answered by its message, with true or false', async t => {
  const ask = async ({ confirm }: ToolContext) => {
    await confirm('Delete a.txt?')
    return 'deleted'
  }
  const tools = await asking(t, ask, { answers: { 'Delete a.txt?': true } })

  t.equal((await tools.call('ask')).text, '"deleted"')
  t.match(await tools.call('ask', {}, { answers: { 'Delete a.txt?': false } }), {
    isError: true,
    text: 'The user has not agreed: Delete a.txt?',
    questions: [{ message: 'Delete a.txt?' }],
  })
  await t.rejects(tools.call('ask', {}, { answers: {} }), {
    message: /such as answers: \{ "Delete a\.txt\?": true \}$/,
  })
  const { text, questions } = await tools.call('ask', {}, { capabilities: {} })
  t.match(text, /^ask needs the consent of the user, whom this client cannot ask/)
  t.strictSame(questions, [])
})

t.test('a form without fields is accepted without content, as clients do', async t => {
  const empty = { message: 'Go on?', requestedSchema: { type: 'object' as const, properties: {} } }
  const tools = await asking(t, ctx => ctx.elicit('go', empty))

  for (const go of [true, 'accept'] as const)
    t.equal((await tools.call('ask', {}, { answers: { go } })).text, '{"action":"accept"}')
})

t.test('the model, the folders and a page are answered, too', async t => {
  const sampled = await asking(t, ctx =>
    ctx.sample('name', { messages: [{ role: 'user', content: { type: 'text', text: 'A name?' } }], maxTokens: 9 }),
  )
  t.match(JSON.parse((await sampled.call('ask', {}, { answers: { name: 'Ann' } })).text), {
    role: 'assistant',
    content: { type: 'text', text: 'Ann' },
  })
  const whole = { role: 'assistant' as const, content: { type: 'text', text: 'Bob' }, model: 'm' }
  t.strictSame(JSON.parse((await sampled.call('ask', {}, { answers: { name: whole } })).text), whole)

  const rooted = await asking(t, ctx => ctx.listRoots('folders'))
  const { text } = await rooted.call(
    'ask',
    {},
    { answers: { folders: ['file:///a', { uri: 'file:///b', name: 'B' }] } },
  )
  t.strictSame(JSON.parse(text), { roots: [{ uri: 'file:///a' }, { uri: 'file:///b', name: 'B' }] })

  const paged = await asking(t, ctx =>
    ctx.elicit('sign', { mode: 'url', message: 'Sign', url: 'https://sign.example' }),
  )
  t.equal((await paged.call('ask', {}, { answers: { sign: 'accept' } })).text, '{"action":"accept"}')
})

t.test('questions of several rounds are answered one after the other', async t => {
  const tools = await asking(
    t,
    async ctx => {
      const [one, two] = await Promise.all([ctx.elicit('one', form), ctx.elicit('two', form)])
      return [one.action, two.action, (await ctx.elicit('three', form)).action]
    },
    { answers: ({ key }) => (key === 'two' ? 'decline' : { sure: true }) },
  )

  const { text, questions } = await tools.call('ask')

  t.equal(text, '["accept","decline","accept"]')
  t.strictSame(
    questions.map(({ key }) => key),
    ['one', 'two', 'three'],
  )
})

t.test('a question without an answer fails the call, and says how to answer', async t => {
  const tools = await asking(t, ctx => ctx.elicit('confirm', form))

  const error = await tools.call('ask').catch(thrown => thrown)

  t.type(error, QuestionError)
  t.equal(
    error.message,
    'The tool asks "confirm" (elicitation/create): "Cancel order 1?". There is no answer to it; give one, ' +
      'such as answers: { "confirm": { "sure": true, "why": "late" } }',
  )
  t.match(error.question, { key: 'confirm', message: 'Cancel order 1?' })
  await t.rejects(tools.call('ask', {}, { answers: () => undefined }), { name: 'QuestionError' })
  const roots = await asking(t, ctx => ctx.listRoots('folders'))
  await t.rejects(roots.call('ask'), { message: /such as answers: \{ "folders": \['file:\/\/\/project'\] \}$/ })
})

t.test('an answer that does not fit its question fails the call with what is wrong', async t => {
  const tools = await asking(t, ctx => ctx.elicit('confirm', form))
  const answer = (confirm: ScriptedAnswer) => tools.call('ask', {}, { answers: { confirm } })

  await t.rejects(answer({ sure: 'yes' }), { message: 'The answer to "confirm" is not taken: sure must be boolean' })
  await t.rejects(answer({}), { message: /^The answer to "confirm" is not taken: sure / })
  await t.rejects(answer('yes'), { message: /not taken: action must be one of accept, decline, cancel$/ })
  await t.rejects(answer({ sure: true, other: 1 }), { message: /not taken: other is not a field of the form$/ })
})

t.test('an answer that is no yes does not confirm', async t => {
  const tools = await asking(t, async ctx => {
    await ctx.confirm('Wipe it?')
    return 'wiped'
  })
  const answer = (said: ScriptedAnswer) => tools.call('ask', {}, { answers: { 'Wipe it?': said } })

  for (const said of [
    { action: 'reject' },
    { answer: 'no' },
    { sure: false },
    'no',
    { action: 'accept', content: { a: 1 } },
  ])
    for (const answers of [{ 'Wipe it?': said }, () => said])
      await t.rejects(tools.call('ask', {}, { answers } as never), { name: 'QuestionError' }, JSON.stringify(said))
  for (const said of [false, 'decline', 'cancel', { action: 'decline' }, { action: 'cancel', content: null }])
    t.match(await answer(said as ScriptedAnswer), { isError: true, text: 'The user has not agreed: Wipe it?' })
  for (const said of [true, 'accept', {}, { action: 'accept', content: {} }])
    t.match(await answer(said as ScriptedAnswer), { text: 'wiped' })
})

t.test('answers of a model, and roots, that cannot be used fail the call', async t => {
  const tools = await asking(t, ctx => ctx.listRoots('folders'))
  const model = await asking(t, ctx => ctx.sample('m', { messages: [], maxTokens: 1 }))

  await t.rejects(tools.call('ask', {}, { answers: { folders: ['http://x'] } }), {
    message: /is not taken: result\.roots\.0\.uri/,
  })
  await t.rejects(model.call('ask', {}, { answers: { m: { role: 'user' } as never } }), {
    message: /is not taken: result/,
  })
})

t.test('a function may answer otherwise when it is asked again', async t => {
  const tools = await asking(t, ctx => ctx.elicit('confirm', form))
  const given = [{ sure: 'perhaps' }, { sure: true }]

  const { text, questions } = await tools.call('ask', {}, { answers: { confirm: () => given.shift() } })

  t.match(text, '"sure":true')
  t.equal(questions.length, 2)
  await t.rejects(tools.call('ask', {}, { answers: () => ({}) }), { message: /not taken: sure is required$/ })
})

t.test('a client that has not declared a capability is not asked', async t => {
  const tools = await asking(t, ctx => ctx.elicit('confirm', form), { answers: { confirm: 'accept' } })

  await t.rejects(tools.call('ask', {}, { capabilities: {} }), {
    code: -32021,
    message: 'Missing required client capability: elicitation',
  })
})

t.test('what a tool keeps is computed once, through all rounds', async t => {
  let computed = 0
  const tools = await asking(t, async ctx => {
    const n = await ctx.keep('n', () => ++computed)
    await ctx.confirm('Cancel it?')
    const answer = await ctx.elicit('confirm', form)
    return [n, answer.action]
  })

  for (const n of [1, 2])
    t.equal(
      (await tools.call('ask', {}, { answers: { 'Cancel it?': true, confirm: 'decline' } })).text,
      `[${n},"decline"]`,
    )
  await t.rejects(
    tools.call('ask', {}, { answers: {} }),
    { name: 'QuestionError' },
    'a question without an answer still fails',
  )
})
