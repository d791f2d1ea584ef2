// Mistakes that authors of tool files make, and what the log says of each.

import { file, type Mistake, tool, ZOD } from './mistake.ts'

const HANDLER = `name: 'order', description: 'Finds an order.', handler: () => word`

const TIME = `write a text such as '30 s' or '5 minutes', or milliseconds: 30_000`

export const MISTAKES: readonly Mistake[] = [
  // What the file exports.
  {
    mistake: 'no default export, but a tool by name',
    files: file(`import { defineTool } from 'toolrack'
export const order = defineTool({ name: 'order', handler: () => '' })`),
    says: 'has no default export; write export default order',
  },
  {
    mistake: 'no default export, but several tools by name',
    files: file(`export const order = { name: 'order', handler: () => '' }
export const more = [{ name: 'ship', handler: () => '' }]`),
    says: 'has no default export; write export default [...more, order]',
  },
  {
    mistake: 'nothing exported',
    files: file('const order = 1'),
    says: `has no default export; write export default defineTool({ name: '…', … }); or, if it is a helper, rename it to _order.ts`,
  },
  {
    mistake: 'all tools in one object by name',
    files: file(`export const tools = { order: { name: 'order', handler: () => '' } }`),
    says: 'has no default export; write export default Object.values(tools)',
  },
  {
    mistake: 'all tools in one array by name',
    files: file(`export const tools = [{ name: 'order', handler: () => '' }]`),
    says: 'has no default export; write export default tools',
  },
  {
    mistake: 'a tool by name whose handler has another name',
    files: file(`export const order = { name: 'order', execute: () => '' }`),
    says: 'has no default export; write export default order',
  },
  {
    mistake: 'the fields of a tool by name',
    files: file(`export const name = 'order'\nexport const inputSchema = {}\nexport const execute = () => ''`),
    says: 'write export default { name, inputSchema, handler: execute }; or, if it is a helper, rename it to _order.ts',
  },
  {
    mistake: 'functions by name',
    files: file('export async function findOrder() {}\nexport async function ship() {}'),
    says: `write export default { name: 'find_order', handler: findOrder }; or, if it is a helper, rename it to _order.ts`,
  },
  {
    mistake: 'a class as default export',
    files: file('export default class OrderTool { run() {} }'),
    says: `is a class; write an object: { name: '…', handler: args => new OrderTool().run(args) }`,
  },
  {
    mistake: 'a class of LangChain as default export',
    files: file('export default class OrderTool { async _call() {} }'),
    says: 'handler: args => new OrderTool()._call(args) }',
  },
  {
    mistake: 'a tool of LangChain as default export',
    files: file(`class DynamicTool { name = 'order'; func = () => ''; async invoke() {} }
export default new DynamicTool()`),
    says: `write { name: 'order', …, handler: args => it.invoke(args) }, where it is this DynamicTool`,
  },
  {
    mistake: 'a server of the official SDK 1.x as default export',
    files: file(`import { McpServer } from '${import.meta.resolve('@modelcontextprotocol/sdk/server/mcp.js')}'
const server = new McpServer({ name: 'orders', version: '1.0.0' })
server.registerTool('order', {}, () => ({ content: [] }))
export default server`),
    says: 'is a server (McpServer); export a defineTool({ … }) for each registerTool instead, see docs/guides/migrating.md',
  },
  {
    mistake: 'a server of the official SDK 2.x by name',
    files: file(`import { McpServer } from '${import.meta.resolve('@modelcontextprotocol/server')}'
export const server = new McpServer({ name: 'orders', version: '1.0.0' })`),
    says: 'is a server (McpServer); export a defineTool({ … }) for each registerTool instead, see docs/guides/migrating.md',
  },
  {
    mistake: 'a FastMCP as default export',
    files: file('class FastMCP { addTool() {} }\nexport default new FastMCP()'),
    says: 'is a server (FastMCP); export a defineTool({ … }) for each addTool instead, see docs/guides/migrating.md',
  },
  {
    mistake: 'a function that adds its tools to a server',
    files: file(`export const register = server => server.registerTool('order', {}, () => {})`),
    says: 'adds tools to a server; export a defineTool({ … }) for each registerTool instead, see docs/guides/migrating.md',
  },
  {
    mistake: 'the arguments of server.tool for defineTool',
    files: file(`import { defineTool } from 'toolrack'\nexport default defineTool('order', {}, () => '')`),
    says: `defineTool takes one object; write defineTool({ name: 'order', …, handler })`,
  },
  {
    mistake: 'a function for defineTool',
    files: file(`import { defineTool } from 'toolrack'\nexport default defineTool(async function find() {})`),
    says: `defineTool takes one object; write defineTool({ name: '…', …, handler: find })`,
  },
  {
    mistake: 'two default exports',
    files: file(`const order = { name: 'order', handler: () => '' }\nexport default order\nexport default order`),
    says: 'write export default [one, two]',
  },
  {
    mistake: 'a function as default export',
    files: file('export default async function getOrder() {}'),
    says: `is a function; write { name: 'get_order', handler: getOrder }; or call it, if it makes the tool: export default await getOrder()`,
  },
  {
    mistake: 'an async function that makes the tool as default export',
    files: file('export default async () => ({})'),
    says: 'or call it, if it makes the tool: export default await (async () => …)()',
  },
  {
    mistake: 'a function with arguments as default export',
    files: file('export default function findOrder({ id }) {}'),
    says: `is a function; write { name: 'find_order', handler: findOrder }`,
  },
  {
    mistake: 'a function that makes tools as default export',
    files: file('export default function createTools(db) { return [] }'),
    says: 'or call it, if it makes the tool: export default createTools()',
  },
  {
    mistake: 'an instance of a class as default export',
    files: file(`class OrderTool { name = 'order'; handler() { return '' } }\nexport default new OrderTool()`),
    says: `write const it = new OrderTool(), and { name: '…', handler: (args, ctx) => it.handler(args, ctx) }`,
  },
  {
    mistake: 'an array within an array',
    files: file(`export default [[{ name: 'order', handler: () => '' }]]`),
    says: 'is an array; spread it: [...tools]',
  },
  {
    mistake: 'an object with a text as its handler',
    files: file(`export default { name: 'order', handler: 'found' }`),
    says: `what it exports has no function as its handler, but a string; write handler: args => '…'`,
  },
  {
    mistake: 'a promise as default export',
    files: file(`export default (async () => ({ name: 'order', handler: () => '' }))()`),
    says: 'is a promise; put await before it',
  },
  {
    mistake: 'an object of tools as default export',
    files: file(`const order = { name: 'order', handler: () => '' }
export default { order }`),
    says: 'but an object of them; write export default [order]',
  },
  {
    mistake: 'a text as default export',
    files: file(`export default 'order'`),
    says: `but a string; write export default defineTool({ name: '…', … })`,
  },
  {
    mistake: 'a resource without a handler',
    files: file(`export default { uri: 'docs://style', name: 'Style' }`),
    says: `has no handler; write handler: args => '…'`,
  },
  {
    mistake: 'a resource without defineResource',
    files: file(`export default { uri: 'docs://style', name: 'style', handler: () => '' }`),
    says: 'uri is not a known property; put defineResource({ … }) around it',
  },
  {
    mistake: 'a prompt without definePrompt',
    files: file(`export default { name: 'review', arguments: [{ name: 'code' }], handler: () => '' }`),
    says: 'arguments is not a known property; put definePrompt({ … }) around it',
  },
  // How it imports.
  {
    mistake: 'an import without the ending',
    files: {
      ...file(`import { word } from './_db'\nexport default { ${HANDLER} }`),
      '_db.ts': `export const word = ''`,
    },
    says: `write './_db.ts'`,
  },
  {
    mistake: 'an import of a TypeScript file as .js',
    files: { ...file(`import { word } from './_db.js'\nexport default { ${HANDLER} }`), '_db.ts': '' },
    says: `write './_db.ts'`,
  },
  {
    mistake: 'an import of a folder',
    files: { ...file(`import { word } from './_db'\nexport default { ${HANDLER} }`), '_db/index.ts': '' },
    says: `write './_db/index.ts'`,
  },
  {
    mistake: 'an import of a misspelt file',
    files: { ...file(`import { word } from './_orderz.ts'\nexport default { ${HANDLER} }`), '_orders.ts': '' },
    says: `write './_orders.ts'`,
  },
  {
    mistake: 'a require of a misspelt file',
    files: { ...file(`const { word } = require('./_orderz.ts')\nmodule.exports = { ${HANDLER} }`), '_orders.ts': '' },
    says: `write './_orders.ts'`,
  },
  {
    mistake: 'an import of a file without ./',
    files: { ...file(`import { word } from '_db.ts'\nexport default { ${HANDLER} }`), '_db.ts': '' },
    says: `write './_db.ts'`,
  },
  {
    mistake: 'a misspelt package',
    files: {
      ...file(`import word from 'some-wrods'\nexport default { ${HANDLER} }`),
      'node_modules/some-words/package.json': '{}',
    },
    says: `did you mean 'some-words'?`,
  },
  {
    mistake: 'a package that is not installed',
    files: file(`import word from '@acme/not-there/sub'\nexport default { ${HANDLER} }`),
    says: 'run npm install @acme/not-there',
  },
  {
    mistake: 'a misspelt toolrack',
    files: file(`import { defineTool } from 'tool-rack'\nexport default defineTool({ ${HANDLER} })`),
    says: `write import … from 'toolrack'`,
  },
  {
    mistake: 'TypeBox that is not installed',
    files: file(`import { Type } from '@sinclair/typebox'\nexport default { ${HANDLER} }`),
    says: `write import { Type } from 'toolrack', or run npm install @sinclair/typebox`,
  },
  {
    mistake: 'a misspelt export of toolrack',
    files: file(`import { definetool } from 'toolrack'\nexport default definetool({ ${HANDLER} })`),
    says: 'did you mean defineTool?',
  },
  {
    mistake: 'a type imported like a value',
    files: file(`import { ToolContext } from 'toolrack'\nexport default { ${HANDLER} }`),
    says: 'if ToolContext is a type, write import type { ToolContext }',
  },
  {
    mistake: 'no import at all',
    files: file(`export default defineTool({ ${HANDLER} })`),
    says: `write import { defineTool } from 'toolrack'`,
  },
  {
    mistake: 'require in an ES module',
    files: file(`const fs = require('node:fs')\nexport default { name: 'order', handler: () => fs.cwd }`),
    says: `write import … from '…'`,
  },
  {
    mistake: 'module.exports in an ES module',
    files: file(`import 'toolrack'\nmodule.exports = { name: 'order', handler: () => '' }`),
    says: 'write export default …',
  },
  {
    mistake: '__dirname in an ES module',
    files: file(`export default { name: __dirname, handler: () => '' }`),
    says: 'write import.meta.dirname',
  },
  {
    mistake: 'JSON without its type',
    files: { ...file(`import word from './_a.json'\nexport default { ${HANDLER} }`), '_a.json': '{}' },
    says: `write import data from '…' with { type: 'json' }`,
  },
  {
    mistake: 'the default export of toolrack',
    files: file(
      `import toolrack from 'toolrack'\nexport default toolrack.defineTool({ name: 'order', handler: () => '' })`,
    ),
    says: `write import { defineTool } from 'toolrack'`,
  },
  {
    mistake: 'files that import each other',
    files: {
      ...file(`import { word } from './_word.ts'\nexport const start = word + '!'\nexport default { ${HANDLER} }`),
      '_word.ts': `import { start } from './order.ts'\nexport const word = start + '?'`,
    },
    says: 'two files import each other: move what both need into a third one',
  },
  {
    mistake: 'a constant that is used too early',
    files: file(`export const word = later + '!'\nconst later = 'x'\nexport default { ${HANDLER} }`),
    says: 'move its declaration above this line',
  },
  {
    mistake: 'import in a file of CommonJS',
    files: file(
      `import fs from 'node:fs'\nmodule.exports = { name: 'order', handler: () => fs.constants }`,
      'order.cjs',
    ),
    says: 'rename it to .js, or write require and module.exports',
  },
  {
    mistake: 'a server that does not answer at the top level',
    files: file(`const word = await fetch('http://localhost:65432')\nexport default { ${HANDLER} }`),
    says: '65432; if the file is to load without it, connect in the handler',
  },
  // What Node cannot strip.
  {
    mistake: 'a decorator',
    files: tool('', 'class A {\n  @x m() {}\n}'),
    says: 'reads no decorators: write it without them',
  },
  {
    mistake: 'an enum',
    files: tool('', 'enum Size { Small, Large }'),
    says: `write const Size = { small: 'small' } as const`,
  },
  {
    mistake: 'a namespace',
    files: tool('', 'namespace Sizes { export const small = 1 }'),
    says: 'export its members from a file of their own',
  },
  {
    mistake: 'a parameter property',
    files: tool('', 'class Order { constructor(readonly id: string) {} }'),
    says: 'declare the field, and assign it in the constructor',
  },
  {
    mistake: 'import … = require',
    files: tool('', `import fs = require('node:fs')`),
    says: `write import … from '…'`,
  },
  {
    mistake: 'export =',
    files: file(`export = { name: 'order', handler: () => '' }`),
    says: 'write export default …',
  },
  {
    mistake: 'a file of JSX',
    files: file(`export default { name: 'order', handler: () => '' }`, 'order.tsx'),
    says: 'Node reads no JSX: rename it to .ts if it has none, or compile it',
  },
  // The fields.
  { mistake: 'desciption', files: tool(`desciption: 'x'`), says: 'did you mean description?' },
  { mistake: 'input_schema', files: tool('input_schema: Type.Object({})'), says: 'did you mean inputSchema?' },
  { mistake: 'inputschema', files: tool('inputschema: Type.Object({})'), says: 'did you mean inputSchema?' },
  { mistake: 'parameters of other frameworks', files: tool('parameters: {}'), says: 'did you mean inputSchema?' },
  { mistake: 'execute beside a handler', files: tool('execute: () => 1'), says: 'did you mean handler?' },
  {
    mistake: 'execute in place of a handler',
    files: file(`export default { name: 'order', async execute() {} }`),
    says: 'has no handler; rename execute to handler',
  },
  {
    mistake: 'execute in place of the handler of defineTool',
    files: tool(`handler: undefined, execute: () => ''`),
    says: 'tool "order": execute is not a known property; did you mean handler?',
  },
  { mistake: 'canAccess', files: tool('canAccess: () => true'), says: 'did you mean visible?' },
  { mistake: 'timeoutMs', files: tool('timeoutMs: 1000'), says: 'did you mean timeout?' },
  { mistake: 'readOnly', files: tool('readOnly: true'), says: 'did you mean annotations.readOnlyHint?' },
  {
    mistake: 'readOnly among the annotations',
    files: tool('annotations: { readOnly: true }'),
    says: 'annotations.readOnly means nothing; did you mean readOnlyHint?',
    isServed: true,
  },
  { mistake: 'no name', files: tool('name: undefined'), says: `name is required; write name: 'get_order'` },
  { mistake: 'blanks in the name', files: tool(`name: 'Get the örder!'`), says: `write name: 'Get_the_order'` },
  {
    mistake: 'a name that is too long',
    files: tool(`name: 'order'.repeat(30)`),
    says: `write name: '${'order'.repeat(30).slice(0, 64)}'`,
  },
  { mistake: 'no handler', files: tool('handler: undefined'), says: `handler is required; write handler: args => '…'` },
  {
    mistake: 'a handler that is no function',
    files: tool(`handler: 'found'`),
    says: `handler must be a function, not a string; write handler: args => '…'`,
  },
  {
    mistake: 'no description',
    files: tool('description: undefined'),
    says: `has no description, by which models choose; add description: 'What it does, and when to call it.'`,
    isServed: true,
  },
  {
    mistake: 'scopes with blanks',
    files: tool(`scopes: ['orders:read orders:write']`),
    says: `a scope has no blanks: write scopes: ['orders:read', 'orders:write']`,
  },
  { mistake: 'scopes as a text', files: tool(`scopes: 'a b'`), says: `write scopes: ['a', 'b']` },
  { mistake: 'requires as a text', files: tool(`requires: 'TOKEN'`), says: `write requires: ['TOKEN']` },
  {
    mistake: 'seconds for milliseconds',
    files: tool('timeout: 30'),
    says: 'timeout: 30 is milliseconds; 30 s is 30_000',
    isServed: true,
  },
  {
    mistake: 'minutes in seconds for milliseconds',
    files: tool('timeout: 120'),
    says: 'timeout: 120 is milliseconds; 120 s is 120_000',
    isServed: true,
  },
  {
    mistake: 'a window in seconds',
    files: tool('rateLimit: { max: 5, timeWindow: 60 }'),
    says: `rateLimit.timeWindow: 60 is milliseconds; write timeWindow: '60 seconds'`,
    isServed: true,
  },
  ...[
    [`timeout: 'soon'`, `timeout: "soon" is not a time; ${TIME}`],
    [`timeout: '-1 s'`, `timeout: "-1 s" is not a time; ${TIME}`],
    ['timeout: [30]', `timeout must be integer; ${TIME}`],
    [`timeout: '1 h'`, 'timeout must be <= 600000; 10 minutes, 600_000, is the most'],
    ['timeout: 3_600_000', '10 minutes, 600_000, is the most'],
    [`rateLimit: { max: 5, timeWindow: 'soon' }`, `rateLimit.timeWindow: "soon" is not a time; ${TIME}`],
    ['rateLimit: { max: 5, timeWindow: 1.5 }', `rateLimit.timeWindow must be integer; ${TIME}`],
  ].map(([field, says]) => ({ mistake: field!, files: tool(field!), says: says! })),
  { mistake: 'a task that is true', files: tool('task: true'), says: `write task: 'optional'` },
  {
    mistake: 'a rate limit that is a number',
    files: tool('rateLimit: 10'),
    says: `write rateLimit: { max: 10, timeWindow: '1 minute' }`,
  },
  {
    mistake: 'arguments that are a text',
    files: tool('inputSchema: Type.String()'),
    says: 'inputSchema is not the schema of an object; arguments have names; wrap it: Type.Object({ value: … })',
  },
  {
    mistake: 'arguments that are a text of Zod',
    files: tool('inputSchema: z.string()', ZOD),
    says: 'arguments have names; wrap it: z.object({ value: … })',
  },
  {
    mistake: 'arguments that are a text of JSON Schema',
    files: tool(`inputSchema: { type: 'string' }`),
    says: `arguments have names; wrap it: { type: 'object', properties: { value: … } }`,
  },
  {
    mistake: 'arguments that may be null',
    files: tool('inputSchema: z.object({ id: z.string() }).nullable()', ZOD),
    says: 'inputSchema may be null, which arguments never are; leave that away',
  },
  {
    mistake: 'a property that says that it is required',
    files: tool(`inputSchema: { type: 'object', properties: { id: { type: 'string', required: true } } }`),
    says: `write required: ['id'] beside properties`,
  },
  {
    mistake: 'the name of a type as the schema of a property',
    files: tool(`inputSchema: { type: 'object', properties: { id: 'string' } }`),
    says: `properties.id must be object,boolean; write id: { type: 'string' }, or another type`,
  },
  {
    mistake: 'an icon that is a URL',
    files: tool(`icons: ['https://shop.example/order.png']`),
    says: `icons.0 must be object; write { src: 'https://shop.example/order.png' }`,
  },
  {
    mistake: 'JSON Schema without its type',
    files: tool('inputSchema: { properties: { id: {} } }'),
    says: `inputSchema.type is required; add type: 'object'`,
  },
  {
    mistake: 'JSON Schema that says nothing',
    files: tool('inputSchema: {}'),
    says: `inputSchema.type is required; write { type: 'object', properties: { … } }`,
  },
  {
    mistake: 'a name that another file has',
    files: {
      ...file(`export default { name: 'ship', handler: () => '' }`, 'b.ts'),
      'a.ts': `export default { name: 'ship', description: 'Ships.', handler: () => '' }`,
    },
    says: 'a.ts; rename or remove one',
  },
  {
    mistake: 'a name that the same file has',
    files: file(`const order = { name: 'order', description: 'x', handler: () => '' }\nexport default [order, order]`),
    says: 'tool order is already defined in the same file; rename or remove one',
    isServed: true,
  },
  // Schemas.
  ...[
    [`{ type: 'object', propertys: { id: {} } }`, 'propertys means nothing; did you mean properties?'],
    [`{ type: 'object', properties: { id: {} }, requierd: ['id'] }`, 'requierd means nothing; did you mean required?'],
    [
      `{ type: 'object', properties: { id: { type: 'string', minLenght: 1 } } }`,
      'properties.id.minLenght means nothing; did you mean minLength?',
    ],
  ].map(([schema, says]) => ({
    mistake: `inputSchema: ${schema}`,
    files: tool(`inputSchema: ${schema}`),
    says: `inputSchema: ${says}`,
    isServed: true,
  })),
  ...[
    ['z.object({ id: z.string })', 'has a function in place of a schema: id; call it: z.string()'],
    ['z.object({ ids: z.array(z.string).optional() })', 'a schema: ids.element; call it: z.string()'],
    ['z.object({ id: z.string().optional })', 'has a function in place of a schema: id; call it'],
    ['z.object({ id: String })', 'has a function in place of a schema: id; write z.string()'],
    ['z.object', 'inputSchema is a function in place of a schema; call it'],
    ['{ id: z.string }', 'has a function in place of a schema: id; call it'],
    ['Type.Object({ id: Type.String })', 'has a function in place of a schema: id; call it: Type.String()'],
    [`{ type: 'object', properties: { id: String } }`, `a schema: id; write { type: 'string' }`],
  ].map(([schema, says]) => ({
    mistake: `inputSchema: ${schema}`,
    files: tool(`inputSchema: ${schema}`, ZOD),
    says: says!,
  })),
]
