// Tools that a person calls by hand: they ask, report, wait, fail, and return what a terminal must not obey.
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool, image, type ToolDefinition } from '../../src/index.ts'

/** What a terminal would obey: a title, a colour, a cleared screen, a link, a C1 control, a reversed text. */
export const HOSTILE = '\u001b]0;owned\u0007\u001b[31mred\u001b[2J\u001b]8;;http://evil.example\u0007link\u009b5m\u202e'
export const PICTURE = Buffer.from('89504e470d0a1a0a', 'hex')

const object = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object' as const,
  properties,
  required,
})

const form = object(
  {
    size: { type: 'string', enum: ['small', 'large'], description: 'How large' },
    count: { type: 'integer', minimum: 1 },
    gift: { type: 'boolean' },
    note: { type: 'string', maxLength: 20 },
  },
  ['size', 'count', 'gift'],
)

export const seen = { begun: 0, aborted: 0, called: [] as unknown[] }

export const callable: readonly ToolDefinition[] = [
  defineTool({
    name: 'get_price',
    description: 'Finds the price of an article. More is said here.',
    annotations: { readOnlyHint: true },
    inputSchema: object(
      { sku: { type: 'string' }, n: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
      ['sku'],
    ),
    outputSchema: object({ price: { type: 'number' } }, ['price']),
    handler: args => {
      seen.called.push(args)
      return { price: 3 }
    },
  }),
  defineTool({ name: 'say', handler: () => 'two\nlines' }),
  defineTool({ name: 'hostile', description: HOSTILE, sanitize: false, handler: () => HOSTILE }),
  defineTool({
    name: 'fails',
    handler: () => {
      throw new Error('There is\nno such order.')
    },
  }),
  defineTool({ name: 'picture', handler: () => image(PICTURE, 'image/png') }),
  defineTool({
    name: 'order',
    async handler(_args, ctx) {
      const answer = await ctx.elicit('order', { message: `What do you want?${HOSTILE}`, requestedSchema: form })
      return `${answer.action} ${JSON.stringify(answer.content ?? {})}`
    },
  }),
  defineTool({
    name: 'pay',
    async handler(_args, ctx) {
      const params = { mode: 'url', message: 'Pay here.', url: 'https://pay.example/1', elicitationId: 'one' } as const
      return (await ctx.elicit('pay', params)).action
    },
  }),
  defineTool({
    name: 'imagine',
    async handler(_args, ctx) {
      const content = { type: 'text', text: 'Hello' } as const
      return JSON.stringify(await ctx.sample('a', { messages: [{ role: 'user', content }], maxTokens: 5 }))
    },
  }),
  defineTool({
    name: 'walk',
    async handler(_args, ctx) {
      for (let step = 1; step <= 4; step++) {
        ctx.progress(step, 4, `step ${step}`)
        ctx.log.warning(`walked ${step}`)
        await sleep(60)
      }
      return 'there'
    },
  }),
  defineTool({ name: 'wait', handler: (_args, ctx) => waitFor(ctx) }),
  defineTool({
    name: 'job',
    task: 'required',
    async handler(_args, { log }) {
      log.info('half way', { left: 3 })
      await sleep(300)
      log.debug('too fine')
      return 'job done'
    },
  }),
  defineTool({ name: 'long_job', task: 'required', handler: (_args, ctx) => waitFor(ctx) }),
  defineTool({
    name: 'asking_job',
    task: 'required',
    async handler(_args, ctx) {
      await sleep(200)
      const answer = await ctx.elicit('sure', {
        message: 'Are you sure?',
        requestedSchema: object({ sure: { type: 'boolean' } }, ['sure']),
      })
      return `${answer.action} ${JSON.stringify(answer.content)}`
    },
  }),
] as readonly ToolDefinition[]

function waitFor(ctx: { progress(done: number, total: number, message: string): void; signal: AbortSignal }) {
  seen.begun++
  ctx.progress(1, 2, 'waiting')
  return new Promise<never>((_resolve, reject) => {
    ctx.signal.addEventListener('abort', () => {
      seen.aborted++
      reject(ctx.signal.reason)
    })
  })
}
