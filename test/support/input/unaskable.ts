// Questions that no client may be asked, and what their handler is told.
import type { InputContext } from '../../../src/registry/handler-context.ts'

type Unaskable = [what: string, ask: (ctx: InputContext) => Promise<unknown>, text: RegExp]

const form =
  (requestedSchema: unknown, more: object = {}): Unaskable[1] =>
  ctx =>
    ctx.elicit('q', { message: 'Well?', requestedSchema, ...more } as never)

const field = (schema: unknown) => form({ type: 'object', properties: { a: schema } })
const url = (params: object): Unaskable[1] => {
  return ctx => ctx.elicit('q', { mode: 'url', message: 'Go there', ...params } as never)
}

const text = { type: 'text', text: 'Hi' }
const user = (content: unknown = text) => ({ role: 'user', content })
const sampling = (params: object): Unaskable[1] => {
  return ctx => ctx.sample('q', { messages: [user()], maxTokens: 5, ...params } as never)
}

const AT = 'params\\.requestedSchema'
const at = (rest: string) => new RegExp(`${AT}${rest}`)
const FIELD = '\\.properties\\.a'

export const FORMS: readonly Unaskable[] = [
  ['no params', ctx => ctx.elicit('q', undefined as never), /params\.requestedSchema is required/],
  ['no message', form({ type: 'object', properties: {} }, { message: undefined }), /params\.message is required/],
  ['another mode', form({ type: 'object', properties: {} }, { mode: 'zzz' }), /params\.mode must be one of "form"/],
  ['a form without a schema', form(undefined), at(' is required')],
  ['a schema of an array', form({ type: 'array', properties: {} }), at('\\.type must be "object"')],
  ['a schema without properties', form({ type: 'object' }), at('\\.properties is required')],
  ['a schema that may be another', form({ type: 'object', properties: {}, anyOf: [{}] }), at('\\.anyOf')],
  ['any properties', form({ type: 'object', properties: {}, additionalProperties: {} }), at('\\.additionalProp')],
  ['a schema of an unknown dialect', form({ $schema: 'x:y', type: 'object', properties: {} }), at(': .*x:y')],
  ['a nested object', field({ type: 'object', properties: { b: { type: 'string' } } }), at(`${FIELD}\\.type must be`)],
  ['a list of objects', field({ type: 'array', items: { type: 'object' } }), at(`${FIELD}\\.items`)],
  ['a list of any text', field({ type: 'array', items: { type: 'string' } }), at(`${FIELD}\\.items\\.enum is req`)],
  ['a list of anything', field({ type: 'array' }), at(`${FIELD}\\.items is required`)],
  ['a field of several types', field({ type: ['string', 'null'] }), at(`${FIELD}\\.type must be one of`)],
  ['a field of no type', field({}), at(`${FIELD}\\.type must be one of`)],
  ['a field that is none', field(true), at(`${FIELD}\\.type must be one of`)],
  ['a field elsewhere', field({ type: 'string', $ref: '#/x' }), at(`${FIELD}\\.\\$ref is not allowed`)],
  ['a number of two kinds', field({ type: 'number', oneOf: [{}] }), at(`${FIELD}\\.oneOf is not allowed`)],
  ['an unknown format', field({ type: 'string', format: 'zzz' }), at(`${FIELD}\\.format must be one of "email"`)],
  ['a format of no form', field({ type: 'string', format: 'ipv4' }), at(`${FIELD}\\.format must be one of`)],
  ['a pattern that is none', field({ type: 'string', pattern: '[' }), at(': .*"\\["')],
  ['a pattern with a lookahead', field({ type: 'string', pattern: '(?=a)b' }), at(': .* without lookarounds')],
  ['a choice of numbers', field({ type: 'string', enum: [1] }), at(`${FIELD}\\.enum\\.0 must be string`)],
  ['a choice without titles', field({ type: 'string', oneOf: [{ const: 'x' }] }), at(`${FIELD}\\.oneOf\\.0\\.title`)],
  ['a default of another type', field({ type: 'boolean', default: 'yes' }), at(`${FIELD}\\.default must be boolean`)],
]

export const URLS: readonly Unaskable[] = [
  ['no URL', url({}), /params\.url is required/],
  ['a URL that is none', url({ url: 'not a url' }), /params\.url must match/],
  ['a URL without a host', url({ url: 'https://' }), /params\.url must match/],
  ['a script', url({ url: 'javascript:alert(1)' }), /params\.url must match/],
  ['a file', url({ url: 'file:///etc/passwd' }), /params\.url must match/],
  ['a URL without a message', url({ url: 'https://x.example', message: undefined }), /params\.message is required/],
]

export const SAMPLES: readonly Unaskable[] = [
  ['no prompt', ctx => ctx.sample('q', undefined as never), /params\.messages is required/],
  ['no bound', sampling({ maxTokens: undefined }), /params\.maxTokens is required/],
  ['no messages', sampling({ messages: undefined }), /params\.messages is required/],
  ['another role', sampling({ messages: [{ role: 'system', content: text }] }), /messages\.0\.role must be one of/],
  ['a text for content', sampling({ messages: [user('Hi')] }), /messages\.0\.content\.type must be one of text/],
  ['a link for content', sampling({ messages: [user({ type: 'resource_link' })] }), /content\.type must be one of/],
  ['an image without data', sampling({ messages: [user([text, { type: 'image' }])] }), /content\.1\.data is required/],
  ['an unknown context', sampling({ includeContext: 'zzz' }), /params\.includeContext must be one of "none"/],
  ['a priority past 1', sampling({ modelPreferences: { costPriority: 2 } }), /modelPreferences\.costPriority must be/],
]

const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} })
const result = (toolUseId: string) => ({ type: 'tool_result', toolUseId, content: [text] })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const turns = (...messages: object[]) => sampling({ messages })

export const TOOLED: readonly Unaskable[] = [
  ['a tool without a schema', sampling({ tools: [{ name: 'look' }] }), /params\.tools\.0\.inputSchema is required/],
  ['an unknown choice of tools', sampling({ toolChoice: { mode: 'zzz' } }), /params\.toolChoice\.mode must be one of/],
  ['a tool use without an id', turns(assistant({ ...use('1'), id: undefined })), /content\.0\.id is required/],
  ['a result that is none', turns(user({ ...result('1'), content: [{}] })), /messages\.0\.content\.content\.0\.type/],
  ['results among other content', turns(user([result('1'), text])), /messages\.0\.content must hold only tool results/],
  ['a tool use at the end', turns(user(), assistant(text, use('1'))), /messages\.1 uses tools, so a user message/],
  [
    'a tool use without its result',
    turns(assistant(use('1'), use('2')), user([result('1')])),
    /messages\.0 uses tools/,
  ],
  ['a result that comes late', turns(assistant(use('1')), user(), user(result('1'))), /messages\.0 uses tools/],
  ['a result of the model', turns(assistant(use('1')), assistant(result('1'))), /messages\.0 uses tools/],
]
