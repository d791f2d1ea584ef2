// Results and questions of the newest revision that have every member there is, and the odd ones among the odd.
import type { JsonObject } from '../../../src/protocol/messages.ts'

const _meta = { 'example.com/trace': 'a1' }
const icons = [{ src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }]
const annotations = { audience: ['user', 'assistant'], priority: 0.5, lastModified: '2025-05-03T14:30:00Z' }
const complete = { resultType: 'complete', _meta }
const cached = { ttlMs: 60_000, cacheScope: 'public' }
const bytes = 'AQIDBA=='

export const BLOCKS: Readonly<Record<string, JsonObject>> = {
  text: { type: 'text', text: 'a text', annotations, _meta },
  image: { type: 'image', data: bytes, mimeType: 'image/png', annotations, _meta },
  audio: { type: 'audio', data: bytes, mimeType: 'audio/wav', annotations, _meta },
  resource_link: {
    type: 'resource_link',
    uri: 'file:///project/main.rs',
    name: 'main.rs',
    title: 'Entry point',
    description: 'Where it begins',
    mimeType: 'text/x-rust',
    size: 42,
    icons,
    annotations,
    _meta,
  },
  'bare resource_link': { type: 'resource_link', uri: 'file:///x', name: 'x' },
  'text resource': {
    type: 'resource',
    resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'within', _meta },
    annotations,
    _meta,
  },
  'bytes resource': { type: 'resource', resource: { uri: 'file:///b', blob: bytes, _meta } },
}

const odd = { any: true, never: false, deep: { type: 'object', properties: { no: false, yes: true } } }

export const TOOLS: readonly JsonObject[] = [
  {
    name: 'everything',
    title: 'Everything',
    description: 'Has it all',
    icons,
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        ...odd,
        region: { type: 'string', 'x-mcp-header': 'Region' },
        'x-mcp-header': { type: 'string' },
        where: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
      },
      required: ['region'],
      additionalProperties: false,
      oneOf: [{ required: ['region'] }, false],
    },
    outputSchema: { type: 'object', properties: { ...odd, n: { type: 'number' } }, required: ['n'] },
    annotations: {
      title: 'All of it',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    _meta,
  },
  { name: 'array_out', inputSchema: { type: 'object' }, outputSchema: { type: 'array', items: { type: 'string' } } },
  { name: 'union_out', title: 'Union', inputSchema: { type: 'object' }, outputSchema: { anyOf: [true, false] } },
  { name: 'bare', inputSchema: { type: 'object', additionalProperties: false } },
]

const resource = { name: 'log', title: 'Log', description: 'A log', mimeType: 'text/plain', icons, annotations, _meta }

/** By method; several of one where they differ. */
export const RESULTS: readonly (readonly [method: string, result: JsonObject])[] = [
  [
    'initialize',
    {
      protocolVersion: 'any',
      capabilities: {
        logging: {},
        completions: {},
        experimental: { x: {} },
        extensions: { 'example.com/x': {}, 'io.modelcontextprotocol/tasks': {} },
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
      },
      serverInfo: { name: 's', version: '1', title: 'S', description: 'd', websiteUrl: 'https://example.com', icons },
      instructions: 'Be brief.',
      _meta,
    },
  ],
  ['ping', {}],
  ['logging/setLevel', {}],
  ['resources/subscribe', {}],
  ['tools/list', { tools: TOOLS, nextCursor: 'c', ...cached, ...complete }],
  [
    'resources/list',
    { resources: [{ uri: 'file:///a', size: 3, ...resource }], nextCursor: 'c', ...cached, ...complete },
  ],
  [
    'resources/templates/list',
    { resourceTemplates: [{ uriTemplate: 'log:///{day}', ...resource }], ...cached, ...complete },
  ],
  [
    'resources/read',
    {
      contents: [
        { uri: 'file:///a', mimeType: 'text/plain', text: 'a', _meta },
        { uri: 'file:///b', blob: bytes, _meta },
      ],
      ttlMs: 0,
      cacheScope: 'private',
      ...complete,
    },
  ],
  [
    'prompts/list',
    {
      prompts: [
        {
          name: 'greet',
          title: 'Greet',
          description: 'Greets',
          icons,
          arguments: [{ name: 'who', title: 'Who', description: 'Whom to greet', required: true }],
          _meta,
        },
      ],
      ...cached,
      ...complete,
    },
  ],
  [
    'prompts/get',
    {
      description: 'Greets',
      messages: Object.values(BLOCKS).map(content => ({ role: 'user', content })),
      ...complete,
    },
  ],
  ['completion/complete', { completion: { values: ['a'], total: 1, hasMore: false }, ...complete }],
  ['tools/call', { content: Object.values(BLOCKS), structuredContent: { n: 1 }, isError: false, ...complete }],
  ['tools/call', { content: [], structuredContent: ['not', 'an', 'object'], ...complete }],
  ['tools/call', { content: [], structuredContent: null, ...complete }],
  ['tools/call', { content: [], resultType: 'complete' }],
  ['tools/call', { content: [BLOCKS['text']], isError: true, ...complete }],
]

export const FORM: JsonObject = {
  mode: 'form',
  message: 'Your order?',
  requestedSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', description: 'd', minLength: 1, maxLength: 9, default: 'Ann' },
      mail: { type: 'string', format: 'email', default: 'a@example.com' },
      count: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
      ratio: { type: 'number', default: 0.5 },
      gift: { type: 'boolean', title: 'Gift', default: false },
      size: { type: 'string', enum: ['s', 'm'], default: 's' },
      colour: {
        type: 'string',
        oneOf: [
          { const: '#f00', title: 'Red' },
          { const: '#0f0', title: 'Green' },
        ],
        default: '#f00',
      },
      shape: { type: 'string', enum: ['o', 'x'], enumNames: ['Round', 'Cross'] },
      extras: { type: 'array', title: 'Extras', items: { type: 'string', enum: ['bow', 'card'] }, default: ['bow'] },
      toppings: {
        type: 'array',
        description: 'On top',
        minItems: 1,
        maxItems: 2,
        items: {
          anyOf: [
            { const: 'a', title: 'Apple' },
            { const: 'b', title: 'Bread, fried' },
          ],
        },
      },
    },
    required: ['name', 'toppings'],
  },
}

const { text, image, audio, resource_link } = BLOCKS as Record<'text' | 'image' | 'audio' | 'resource_link', JsonObject>

export const SAMPLING: JsonObject = {
  messages: [
    { role: 'user', content: text, _meta },
    { role: 'user', content: [image, audio], _meta },
    { role: 'assistant', content: { type: 'tool_use', id: '1', name: 'look', input: { at: 'x' }, _meta } },
    {
      role: 'user',
      content: [
        { type: 'tool_result', toolUseId: '1', content: [text, resource_link], structuredContent: [1], isError: false },
        { type: 'tool_result', toolUseId: '2', content: [], structuredContent: { n: 1 }, _meta },
      ],
    },
  ],
  tools: TOOLS,
  toolChoice: { mode: 'auto' },
  modelPreferences: { hints: [{ name: 'small' }], costPriority: 0.5, speedPriority: 0, intelligencePriority: 1 },
  systemPrompt: 'Be brief.',
  includeContext: 'none',
  temperature: 0,
  maxTokens: 100,
  stopSequences: ['.'],
  metadata: { any: 'thing' },
}
