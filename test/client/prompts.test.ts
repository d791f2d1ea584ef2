import t from 'tap'
import { definePrompt } from '../../src/index.ts'
import { connect } from './connect.ts'

const review = definePrompt({
  name: 'review',
  title: 'Review',
  description: 'Reviews code',
  arguments: [
    { name: 'code', description: 'What to review', required: true },
    {
      name: 'language',
      complete: (value, context) => [`${value}script`, ...Object.keys(context)],
    },
  ],
  handler: ({ code, language }) => [
    { role: 'user', content: { type: 'text', text: `Review this ${language ?? 'code'}: ${code}` } },
    { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
  ],
})

t.test('prompts: listed without the functions that complete them', async t => {
  const { client } = await connect(t, { prompts: [review] })

  const { prompts } = await client.listPrompts()

  t.strictSame(prompts, [
    {
      name: 'review',
      title: 'Review',
      description: 'Reviews code',
      arguments: [{ name: 'code', description: 'What to review', required: true }, { name: 'language' }],
    },
  ])
})

t.test('prompts: got with arguments', async t => {
  const { client } = await connect(t, { prompts: [review] })

  const prompt = await client.getPrompt({ name: 'review', arguments: { code: 'x = 1', language: 'Python' } })

  t.match(prompt, {
    description: 'Reviews code',
    messages: [
      { role: 'user', content: { type: 'text', text: 'Review this Python: x = 1' } },
      { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
    ],
  })
})

t.test('prompts: unknown names, missing and unknown arguments are errors', async t => {
  const { client } = await connect(t, { prompts: [review] })

  await t.rejects(client.getPrompt({ name: 'nope' }), { code: -32602, message: /nope/ })
  await t.rejects(client.getPrompt({ name: 'review' }), { code: -32602, message: /code/ })
  await t.rejects(client.getPrompt({ name: 'review', arguments: { code: '', mood: 'bad' } }), {
    code: -32602,
    message: /mood/,
  })
})

t.test('prompts: one may ask the user', async t => {
  const ask = definePrompt({
    name: 'ask',
    async handler(_args, ctx) {
      const { content } = await ctx.elicit('topic', {
        message: 'About what?',
        requestedSchema: { type: 'object', properties: { topic: { type: 'string' } } },
      })
      return `Write about ${content?.['topic']}`
    },
  })
  const { client } = await connect(t, { prompts: [ask] }, { capabilities: { elicitation: {} } }, client =>
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { topic: 'ferns' } })),
  )

  const { messages } = await client.getPrompt({ name: 'ask' })

  t.match(messages, [{ role: 'user', content: { text: 'Write about ferns' } }])
})

t.test('completion: of a prompt argument, with what is filled in already', async t => {
  const { client } = await connect(t, { prompts: [review] })

  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'review' },
    argument: { name: 'language', value: 'Type' },
    context: { arguments: { code: 'x' } },
  })

  t.strictSame(completion, { values: ['Typescript', 'code'], total: 2, hasMore: false })
})

t.test('completion: an argument without suggestions has none', async t => {
  const { client } = await connect(t, { prompts: [review] })

  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'review' },
    argument: { name: 'code', value: '' },
  })

  t.strictSame(completion.values, [])
})
