// The server of the mock-ups: tools, resources and prompts of a small shop, each for one part of the console.
import { setTimeout as wait } from 'node:timers/promises'
import { definePrompt, defineResource, defineTool, Type } from '../../../src/index.ts'
import { PICTURE } from './sample-results.ts'

const READ_ONLY = { readOnlyHint: true } as const
const REPORT = `November 2026

Revenue of the north   6,744 EUR   (October: 6,021)
Revenue of the south   4,180 EUR   (October: 4,251)

Notes
- The fair in Lyon brought 14 orders.`

const ROWS = [
  { sku: 'CH-2201', product: 'Chair', units: 6, revenue: 1194, paid: false },
  { sku: 'LT-0310', product: 'Lamp', units: 66, revenue: 2310.5, paid: true },
  { sku: 'TB-0007', product: 'Table', units: 9, revenue: 3240, paid: true },
]

const alwaysFails = defineTool({
  name: 'always_fails',
  description: 'Fails each time, to try errors.',
  handler: () => Promise.reject(new Error('The report of July is locked by `ada` until 14:30')),
})

const countSlowly = defineTool({
  name: 'count_slowly',
  description: 'Counts to n, one step each half second.',
  annotations: READ_ONLY,
  task: 'optional',
  inputSchema: Type.Object({ n: Type.Integer({ minimum: 1, maximum: 100 }) }),
  async handler({ n }, ctx) {
    ctx.log.info(`started, n = ${n}`)
    for (let step = 1; step <= n; step++) {
      await wait(500, undefined, { signal: ctx.signal })
      ctx.progress(step, n, `Counting ${step}`)
    }
    return `Counted to ${n}`
  },
})

const createNote = defineTool({
  name: 'create_note',
  description: 'Creates a note.',
  inputSchema: Type.Object({ title: Type.String({ maxLength: 120 }), body: Type.Optional(Type.String()) }),
  async handler({ title }, ctx) {
    const { action, content } = await ctx.elicit('name', {
      message: `There is a note named ${title}. What now?`,
      requestedSchema: {
        type: 'object',
        properties: {
          action: {
            type: 'string',
            oneOf: [
              { const: 'replace', title: 'Replace it' },
              { const: 'keep', title: 'Keep both' },
            ],
          },
          title: { type: 'string', title: 'New title', maxLength: 120, default: `${title} (2)` },
          tell: { type: 'boolean', title: 'Tell the team', description: 'Send the note to #shop', default: false },
        },
        required: ['action'],
      },
    })
    return `${action}: ${JSON.stringify(content ?? {})}`
  },
})

const deleteReport = defineTool({
  name: 'delete_report',
  description: 'Deletes a report, after asking. It asks before it deletes.',
  annotations: { destructiveHint: true },
  inputSchema: Type.Object({ name: Type.String({ description: 'Such as `may.txt`' }) }),
  async handler({ name }, ctx) {
    const { action } = await ctx.elicit('sure', {
      message: `Delete ${name} for good?`,
      requestedSchema: { type: 'object', properties: {} },
    })
    return action === 'accept' ? `Deleted ${name}` : `Kept ${name}: ${action}`
  },
})

const drawGradient = defineTool({
  name: 'draw_gradient',
  description: 'Draws a gradient as PNG.',
  annotations: READ_ONLY,
  handler: () => ({ content: [PICTURE] }),
})

const listSales = defineTool({
  name: 'list_sales',
  description: 'Lists sales of a month by region, with totals. Use it for questions on revenue.',
  annotations: READ_ONLY,
  inputSchema: Type.Object({
    month: Type.String({ format: 'date', description: 'Any day of the month' }),
    region: Type.Optional(Type.Union([Type.Literal('north'), Type.Literal('south'), Type.Literal('east')])),
    tags: Type.Optional(Type.Array(Type.String(), { maxItems: 10 })),
    filter: Type.Optional(
      Type.Object({
        min: Type.Number(),
        max: Type.Optional(Type.Number()),
        onlyPaid: Type.Optional(Type.Boolean()),
      }),
    ),
  }),
  outputSchema: Type.Object({
    month: Type.String(),
    total: Type.Number(),
    rows: Type.Array(
      Type.Object({
        sku: Type.String(),
        product: Type.String(),
        units: Type.Integer(),
        revenue: Type.Number(),
        paid: Type.Boolean(),
      }),
    ),
  }),
  handler: ({ month }) => ({ month, total: 6744.5, rows: ROWS }),
})

const queryDatabase = defineTool({
  name: 'query_database',
  description: 'Runs one read-only SQL statement. Returns its rows.',
  annotations: READ_ONLY,
  inputSchema: Type.Object({ query: Type.String({ description: 'One statement of SQL that reads' }) }),
  handler: () => ({
    columns: ['id', 'customer', 'total', 'paid'],
    rows: Array.from({ length: 200 }, (_, index) => [8412 - index, 'Ada Lovelace', 158.6 + index, index % 3 !== 0]),
  }),
})

/** As long as authorization servers make them. */
export const LONG_URL = `https://accounts.mail.example/authorize?client=my-tools&state=Zx81k&request=${'eyJhbGciOi'.repeat(400)}`

const sendMessage = defineTool({
  name: 'send_message',
  description: 'Sends a message by mail, SMS or webhook.',
  inputSchema: Type.Object({ to: Type.Optional(Type.String()) }),
  async handler(_args, ctx) {
    const { action } = await ctx.elicit('allow', {
      mode: 'url',
      message: 'Allow my-tools to send mail for you',
      url: LONG_URL,
    })
    return action === 'accept' ? 'Sent' : `Not sent: ${action}`
  },
})

const summarizeReport = defineTool({
  name: 'summarize_report',
  description: 'Summarizes a report with your model.',
  annotations: READ_ONLY,
  async handler(_args, ctx) {
    const { content, model } = await ctx.sample('summary', {
      systemPrompt: 'You write short summaries for people who run a shop. At most 150 words.',
      messages: [{ role: 'user', content: { type: 'text', text: `Summarize november.txt: ${REPORT.repeat(20)}` } }],
      maxTokens: 400,
      temperature: 0.2,
    })
    return `${model}: ${(content as { text: string }).text}`
  },
})

const notes = [
  ['get_note', 'Reads a note.', READ_ONLY],
  ['list_notes', 'Lists notes, the newest first.', READ_ONLY],
  ['update_note', 'Changes the title or body of a note.', {}],
] as const

const noteTools = notes.map(([name, description, annotations]) =>
  defineTool({
    name,
    description,
    annotations,
    inputSchema: Type.Object({ id: Type.Optional(Type.Integer({ minimum: 1 })) }),
    handler: () => '## Stand-up\n\n- Chairs are **late**\n- The fair in `Lyon`',
  }),
)

const report = (month: string) =>
  defineResource({
    uri: `report://${month.toLowerCase()}.txt`,
    name: `report of ${month}`,
    title: `Report of ${month}`,
    mimeType: 'text/plain',
    handler: () => REPORT,
  })

const reportByName = defineResource({
  uriTemplate: 'report://{name}',
  name: 'report',
  description: 'A report by its name',
  mimeType: 'text/plain',
  complete: { name: value => ['november', 'october'].filter(each => each.startsWith(value)) },
  handler: () => REPORT,
})

const monthlyReview = definePrompt({
  name: 'monthly_review',
  description: 'Reviews a month with its numbers, and asks for decisions.',
  arguments: [
    {
      name: 'month',
      required: true,
      description: 'The server completes it',
      complete: value => ['2026-11', '2026-10', '2026-09'].filter(each => each.startsWith(value)),
    },
    { name: 'tone' },
  ],
  handler: ({ month }) => `Here is the report of ${month}. Keep it short, and end with the decisions that you need.`,
})

const answerCustomer = definePrompt({
  name: 'answer_customer',
  description: 'Drafts an answer to a complaint.',
  handler: () => 'Answer the customer.',
})

export const SHOP = {
  name: 'my-tools',
  tools: [
    alwaysFails,
    countSlowly,
    createNote,
    deleteReport,
    drawGradient,
    listSales,
    queryDatabase,
    sendMessage,
    summarizeReport,
    ...noteTools,
  ],
  resources: [report('November'), report('October'), reportByName],
  prompts: [monthlyReview, answerCustomer],
}
