// The server that the transcripts talk to: of everything that a server can have, one.
import {
  audio,
  definePrompt,
  defineResource,
  defineTool,
  embeddedResource,
  image,
  resourceLink,
  type ServerOptions,
  ToolError,
  text,
} from '../../src/index.ts'

const bytes = new Uint8Array([1, 2, 3, 4])
const icons = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }]
const annotations = { audience: ['user' as const], priority: 0.5, lastModified: '2025-05-03T14:30:00Z' }
const link = { uri: 'note://today', name: 'today', title: 'Today', mimeType: 'text/plain', icons }

const results = [
  defineTool({
    name: 'add',
    title: 'Sum',
    description: 'Adds two numbers.',
    icons,
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'example.com/since': 1 },
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    handler: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
  }),
  defineTool({
    name: 'everything',
    handler: () => [
      text('plain', { annotations }),
      image(bytes, 'image/png'),
      audio(bytes, 'audio/wav', { _meta: { 'example.com/take': 1 } }),
      resourceLink(link),
      embeddedResource({ uri: 'note://today', mimeType: 'text/plain', text: 'Milk' }),
    ],
  }),
  defineTool({
    name: 'fail',
    inputSchema: { type: 'object', properties: { till: { type: 'string', 'x-mcp-header': 'Till' }, any: true } },
    handler() {
      throw new ToolError('The till is empty; try again tomorrow')
    },
  }),
  defineTool({
    name: 'list_of',
    outputSchema: { type: 'array', items: { type: 'string' } },
    handler: () => ['tea', 'toast'],
  }),
]

const questions = [
  defineTool({
    name: 'greet',
    async handler(_args, ctx) {
      const properties = {
        name: { type: 'string', default: 'Ann' },
        with: { type: 'array', items: { type: 'string', enum: ['tea', 'toast'] } },
      }
      const { action, content } = await ctx.elicit('who', {
        message: 'Your name?',
        requestedSchema: { type: 'object', properties, required: ['name'] },
      })
      return action === 'accept' ? `Hello ${content?.['name']}, have ${content?.['with']}` : action
    },
  }),
  defineTool({
    name: 'roots',
    handler: async (_args, ctx) => (await ctx.listRoots('roots')).roots.map(({ uri }) => uri).join(),
  }),
  defineTool({
    name: 'sample',
    async handler(_args, ctx) {
      const content = [text('Listen'), audio(bytes, 'audio/wav')]
      const { model } = await ctx.sample('poem', { messages: [{ role: 'user', content }], maxTokens: 10 })
      return `said ${model}`
    },
  }),
]

/** What takes its time: tells how far it is, and can be stopped. */
function slow() {
  let stopped: () => void
  const stop = new Promise<void>(resolve => {
    stopped = resolve
  })
  return [
    defineTool({
      name: 'count',
      handler(_args, ctx) {
        ctx.progress(1, 2, 'half')
        ctx.log.info('counting')
        ctx.progress(2, 2)
        return 'counted'
      },
    }),
    defineTool({ name: 'stopped', handler: () => stop.then(() => 'wait was stopped') }),
    defineTool({
      name: 'wait',
      handler(_args, ctx) {
        ctx.progress(1)
        return new Promise(resolve =>
          ctx.signal.addEventListener('abort', () => {
            stopped()
            resolve('too late')
          }),
        )
      },
    }),
  ]
}

const suggest = (values: string[]) => (value: string) => values.filter(each => each.startsWith(value))

export const shop = (): ServerOptions => ({
  name: 'shop',
  version: '1.0.0',
  title: 'The shop',
  icons,
  instructions: 'Be brief.',
  pageSize: 6,
  listTtlMs: 1000,
  tools: [...results, ...questions, ...slow()],
  resources: [
    defineResource({
      uri: 'note://today',
      name: 'today',
      title: 'Today',
      mimeType: 'text/plain',
      icons,
      annotations,
      size: 4,
      handler: () => 'Milk',
    }),
    defineResource({
      uriTemplate: 'day://{day}',
      name: 'day',
      title: 'A day',
      complete: { day: suggest(['monday', 'mayday', 'friday']) },
      handler: () => bytes,
    }),
  ],
  prompts: [
    definePrompt({
      name: 'brief',
      title: 'Briefing',
      description: 'Briefs you.',
      icons,
      arguments: [{ name: 'about', title: 'Topic', required: true, complete: suggest(['tea', 'toast', 'milk']) }],
      handler: ({ about }) => [
        { role: 'user', content: text(`Brief me on ${about}`) },
        { role: 'user', content: audio(bytes, 'audio/wav') },
        { role: 'assistant', content: resourceLink(link) },
      ],
    }),
  ],
})

/** What a transcript may do to the server, as its owner would. */
export const late = defineTool({ name: 'zoom', handler: () => '' })
