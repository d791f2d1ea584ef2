// A tool with every kind of field, and tools with schemas that a form has to bear.
import { defineTool, type JsonObject } from '../../../src/index.ts'

const text = { type: 'string' } as const

const send = {
  title: 'send by',
  oneOf: [
    {
      type: 'object',
      properties: { kind: { const: 'mail' }, to: { type: 'string', format: 'email' }, text },
      required: ['kind', 'to', 'text'],
    },
    {
      type: 'object',
      properties: {
        kind: { const: 'sms' },
        number: { type: 'string', pattern: '^\\+[0-9 ]+$', examples: ['+49 30 901820'] },
        text: { type: 'string', maxLength: 160 },
      },
      required: ['kind', 'number', 'text'],
    },
    {
      type: 'object',
      properties: { kind: { const: 'webhook' }, url: { type: 'string', format: 'uri' } },
      required: ['kind', 'url'],
    },
  ],
} as const

const when = {
  oneOf: [
    { title: 'A day', type: 'string', format: 'date' },
    { title: 'A span', type: 'object', properties: { from: { type: 'string', format: 'date' } }, required: ['from'] },
    {
      title: 'Last n days',
      type: 'object',
      properties: { days: { type: 'integer', minimum: 1, maximum: 90 } },
      required: ['days'],
    },
  ],
} as const

/** Says its arguments. */
export const createEcho = (name: string, inputSchema: object) =>
  defineTool({
    name,
    description: `Says its arguments, as \`${name}\` does.\n\nExample: {"subject": "From the description"}`,
    annotations: { readOnlyHint: true },
    inputSchema: inputSchema as { type: 'object' },
    handler: args => args as JsonObject,
  })

const properties = {
  subject: text,
  csv: { type: 'string', maxLength: 1_000_000 },
  site: { type: 'string', format: 'uri' },
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  price: { type: 'number' },
  onlyPaid: { type: 'boolean', default: true },
  region: { enum: ['north', 'south', 'east'] },
  size: { enum: [1, 2, 3], enumNames: ['small', 'medium', 'large'] },
  action: {
    oneOf: [
      { const: 'a', title: 'Replace it' },
      { const: 'b', title: 'Keep both' },
    ],
  },
  country: { enum: Array.from({ length: 27 }, (_, index) => `Country ${index}`) },
  code: { enum: Array.from({ length: 10_000 }, (_, index) => `C${index}`) },
  channels: { type: 'array', uniqueItems: true, items: { enum: ['mail', 'sms', 'push'] } },
  topics: {
    type: 'array',
    uniqueItems: true,
    items: { enum: Array.from({ length: 40 }, (_, index) => `Topic ${index}`) },
  },
  month: { type: 'string', format: 'date' },
  at: { type: 'string', format: 'date-time' },
  filter: {
    type: 'object',
    properties: { kind: { const: 'simple' }, min: { type: 'number' }, max: { type: 'number' } },
    required: ['kind', 'min'],
  },
  tags: { type: 'array', items: text, maxItems: 10 },
  rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
  pair: {
    type: 'array',
    prefixItems: [
      { type: 'number', title: 'from' },
      { type: 'string', title: 'to' },
    ],
  },
  send,
  when,
  headers: { type: 'object', additionalProperties: text },
  parent: { type: ['string', 'null'] },
  either: { type: ['number', 'string'] },
  attachment: { type: 'string', contentEncoding: 'base64' },
  extra: {},
}

/** All optional: its untouched form sends `{}`. */
export const optionalFields = createEcho('optional', { type: 'object', properties })

export const requiredFields = createEcho('required', {
  type: 'object',
  properties: {
    version: { const: 2 },
    publish: { type: 'boolean', description: 'Everybody sees the note' },
    order: { enum: ['newest', 'oldest'] },
    month: { type: 'string', format: 'date', description: 'Any day of the month' },
    tags: { type: 'array', items: text },
    page: { type: 'object', properties: { after: text, size: { type: 'integer', default: 20 } }, required: ['after'] },
    nickname: { type: ['string', 'null'] },
  },
  required: ['version', 'publish', 'order', 'month', 'tags', 'page', 'nickname'],
})

export const recursive = createEcho('recursive', {
  type: 'object',
  properties: { root: { $ref: '#/$defs/node' } },
  $defs: {
    node: {
      type: 'object',
      properties: { name: text, left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } },
    },
  },
})

export const large = createEcho('large', {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`member${index}`, text])),
  required: ['member299'],
})
