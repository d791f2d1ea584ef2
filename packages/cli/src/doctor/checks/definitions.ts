// Finds definitions of tools that clients, or the services of models behind them, refuse or change.
//
// Reports of autumn 2026:
// - type: 'object' at the root of schemas, MCP SDKs: https://github.com/opentokenz/mcpx/issues/28
// - no union there: https://github.com/anthropics/claude-code/issues/40075 (Anthropic),
//   https://github.com/DeusData/codebase-memory-mcp/issues/1524 (OpenAI)
// - names, OpenAI: https://platform.openai.com/docs/api-reference/chat/create
// - names of properties, Anthropic: https://github.com/anthropics/claude-code/issues/79418
// - null for what may be left away, Claude Code: https://github.com/gensecaihq/Wazuh-MCP-Server/issues/75
// - long descriptions, Claude Code: https://github.com/anthropics/claude-code/issues/87650
// - Gemini: https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099 (lists of types),
//   https://github.com/wonderwhy-er/DesktopCommanderMCP/issues/79 (names),
//   https://github.com/rikkahub/rikkahub/issues/477 (enum), https://github.com/DEEIX-AI/DEEIX-Chat/issues/546 (items),
//   https://github.com/hyperdxio/hyperdx/issues/2967 (prefixItems)

import { withLocalReferences } from '@toolrack/json-schema/local-references'
import { metaCheck } from '@toolrack/json-schema/meta-schema'
import { findTarget } from '@toolrack/json-schema/reader'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import type { Fault } from '../check-context.ts'
import { MAX_TEXT } from './revisions.ts'

export interface Refusal extends Fault {
  /** Comes after the names of the tools. */
  readonly what: string
  /** The place in the schema. */
  readonly where?: string
}

const UNIONS = ['anyOf', 'oneOf', 'allOf']
const MAX_NODES = 5000
const MAX_DEPTH = 40
/** Clients put their own name of the server before the name of the tool. */
const [MAX_NAME, LONG_NAME] = [64, 50]
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/
const ALL_TOOLS = 'refuse each request that has the tool in it: the model gets no tools'
const NO_LIST = 'MCP clients refuse the whole list'
const GEMINI = 'Gemini refuses each request that has the tool in it, unless its client rewrites the schema.'

const problem = (id: string, what: string, effect: string, fix: string): Refusal => ({
  id,
  severity: 'problem',
  what,
  effect,
  fix,
})
const warning = (id: string, what: string, effect: string, fix: string): Refusal => ({
  ...problem(id, what, effect, fix),
  severity: 'warning',
})

/** Rules for a tool as a whole. */
const TOOL: readonly { readonly refusal: Refusal; isBroken(tool: JsonObject): boolean }[] = [
  {
    isBroken: ({ name }) => !/^[a-zA-Z0-9_-]*$/.test(String(name)),
    refusal: problem(
      'tool-name',
      'the name has other characters than a-z A-Z 0-9 _ -',
      `OpenAI and Anthropic ${ALL_TOOLS}.`,
      'rename the tool',
    ),
  },
  {
    isBroken: ({ name }) => String(name).length > MAX_NAME,
    refusal: problem(
      'tool-name-length',
      `the name is longer than ${MAX_NAME} characters`,
      `OpenAI and Anthropic ${ALL_TOOLS}.`,
      'shorten it',
    ),
  },
  {
    isBroken: ({ name }) => String(name).length > LONG_NAME && String(name).length <= MAX_NAME,
    refusal: warning(
      'long-tool-name',
      `the name is longer than ${LONG_NAME} characters`,
      'With the prefix of a client it may pass 64, and OpenAI and Anthropic refuse it.',
      'shorten it',
    ),
  },
  {
    isBroken: ({ name }) => /^[0-9-]/.test(String(name)),
    refusal: warning(
      'tool-name-start',
      'the name begins with neither a letter nor _',
      'Gemini refuses each request that has the tool in it.',
      'rename the tool',
    ),
  },
  {
    isBroken: ({ description }) => typeof description !== 'string' || description.trim() === '',
    refusal: warning(
      'no-description',
      'no description',
      'Models choose tools by it.',
      'say in one or two sentences what the tool does, and when to call it',
    ),
  },
  {
    isBroken: ({ description }) => typeof description === 'string' && description.length > MAX_TEXT,
    refusal: warning(
      'long-description',
      `the description is longer than ${MAX_TEXT} characters`,
      'Claude Code cuts it there, without a word: the model does not see the rest.',
      'shorten it, and begin with what matters most',
    ),
  },
  {
    isBroken: ({ inputSchema }) => !isObject(inputSchema),
    refusal: problem('no-input-schema', 'inputSchema is missing', `${NO_LIST}.`, `add inputSchema: { type: 'object' }`),
  },
  {
    isBroken: ({ inputSchema }) => isObject(inputSchema) && inputSchema['type'] !== 'object',
    refusal: problem(
      'input-schema-type',
      `inputSchema is not of type 'object' at its root`,
      `${NO_LIST}.`,
      `add type: 'object'`,
    ),
  },
  {
    isBroken: ({ inputSchema }) => isObject(inputSchema) && inputSchema['$ref'] !== undefined,
    refusal: problem(
      'root-reference',
      'inputSchema is a $ref at its root',
      `OpenAI services ${ALL_TOOLS}.`,
      'write the object itself',
    ),
  },
  {
    isBroken: ({ outputSchema }) =>
      outputSchema !== undefined &&
      outputSchema !== null &&
      !(isObject(outputSchema) && outputSchema['type'] === 'object'),
    refusal: problem(
      'output-schema-type',
      `outputSchema is not of type 'object'`,
      'Clients of the TypeScript SDK 1.x refuse the whole list.',
      `put the result into an object`,
    ),
  },
]

/** Members that a tool may leave out, but must not set to null. */
const OPTIONAL = ['title', 'description', 'outputSchema', 'annotations', 'execution', 'icons', '_meta']

/** Rules for each part of a schema. */
const INNER: readonly { readonly refusal: Refusal; isBroken(schema: JsonObject): boolean }[] = [
  {
    isBroken: ({ type }) => Array.isArray(type),
    refusal: warning(
      'type-list',
      'type is a list',
      GEMINI,
      'use one type, and leave the property optional in place of null',
    ),
  },
  {
    isBroken: ({ enum: values }) => Array.isArray(values) && new Set(values.map(value => typeof value)).size > 1,
    refusal: warning('mixed-enum', 'enum has values of several types', GEMINI, 'use texts only'),
  },
  {
    isBroken: ({ enum: values }) =>
      Array.isArray(values) && values.length > 0 && values.every(value => typeof value === 'number'),
    refusal: warning(
      'numeric-enum',
      'enum has numbers',
      GEMINI,
      'use texts ("1"), or minimum and maximum with the values in the description',
    ),
  },
  {
    isBroken: ({ enum: values }) => Array.isArray(values) && values.includes(''),
    refusal: warning('empty-enum-text', 'enum has an empty text', GEMINI, 'leave it away, and the property optional'),
  },
  {
    isBroken: ({ prefixItems, items }) => prefixItems !== undefined || Array.isArray(items),
    refusal: warning(
      'tuple',
      'a list with a schema for each place (prefixItems)',
      'Gemini and OpenAI refuse each request that has the tool in it.',
      'use an object with a property for each place',
    ),
  },
  {
    isBroken: ({ type, items, prefixItems }) => type === 'array' && items === undefined && prefixItems === undefined,
    refusal: warning(
      'no-items',
      'an array without items',
      'OpenAI and Gemini refuse each request that has the tool in it.',
      'say what its items are',
    ),
  },
  {
    isBroken: ({ $ref }) => typeof $ref === 'string' && !$ref.startsWith('#'),
    refusal: problem(
      'remote-reference',
      '$ref to another document',
      'No client follows it.',
      'write the definition into $defs',
    ),
  },
]

const IDENTIFIERS = warning(
  'schema-identifiers',
  'inputSchema has $id, $anchor or $dynamicRef',
  'Many clients do not follow them.',
  'refer to #/$defs/NAME',
)
const DANGLING = problem(
  'dangling-reference',
  '$ref to a definition that is not there',
  `Services of models ${ALL_TOOLS}.`,
  'write the definition into $defs',
)
const INVALID = problem(
  'invalid-schema',
  'inputSchema is not valid JSON Schema 2020-12',
  `Anthropic services ${ALL_TOOLS}.`,
  'write it in draft 2020-12',
)
const PROPERTY = problem(
  'property-name',
  `the name of a property does not match ${PROPERTY_NAME.source}`,
  `Anthropic services (Claude, Claude Code) ${ALL_TOOLS}.`,
  'rename it; at most 64 of a-z A-Z 0-9 _ . -',
)

export function findRefusals(tool: JsonObject): readonly Refusal[] {
  const { inputSchema } = tool
  return [
    ...TOOL.filter(({ isBroken }) => isBroken(tool)).map(({ refusal }) => refusal),
    ...findNulls(tool),
    ...(isObject(inputSchema) ? [...findRootRefusals(inputSchema), ...findInnerRefusals(inputSchema)] : []),
  ]
}

const findNulls = (tool: JsonObject): readonly Refusal[] =>
  OPTIONAL.filter(name => tool[name] === null).map(name =>
    problem(
      'null-member',
      `${name} is null`,
      'Claude Code and clients of the TypeScript SDK refuse the whole list.',
      'leave the member away',
    ),
  )

function findRootRefusals(schema: JsonObject): readonly Refusal[] {
  const union = UNIONS.find(each => schema[each] !== undefined)
  const { properties } = schema
  const names = isObject(properties) ? Object.keys(properties).filter(name => !PROPERTY_NAME.test(name)) : []
  return [
    ...(union === undefined
      ? []
      : [
          problem(
            'root-union',
            `inputSchema has ${union} at its root`,
            `Anthropic and OpenAI ${ALL_TOOLS}.`,
            'make one object with optional properties, and check the rest in the tool',
          ),
        ]),
    ...names.slice(0, MAX_NAMES).map(name => ({ ...PROPERTY, where: name.slice(0, MAX_NAME + 10) })),
  ]
}

const MAX_NAMES = 10

/** Services of models read each schema as 2020-12. */
function findInvalid({ $schema: _, ...schema }: JsonObject): readonly Refusal[] {
  const isValid = metaCheck('2020-12')
  if (isValid(schema)) return []
  const where = isValid.errors?.[0]?.instancePath.slice(1).replaceAll('/', '.')
  return [where ? { ...INVALID, where } : INVALID]
}

/** Keywords that contain schemas: one, a list, or by name. */
const BELOW = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'anyOf', 'oneOf', 'allOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

function findInnerRefusals(schema: JsonObject): readonly Refusal[] {
  const { inputSchema: root } = withLocalReferences({ inputSchema: schema })
  const found = new Map<string, Refusal>()
  if (root !== schema) found.set('', IDENTIFIERS)
  const open: { schema: unknown; where: string; depth: number }[] = [{ schema: root, where: '', depth: 0 }]
  let isDeep = false
  for (let count = 0; open.length > 0 && count < MAX_NODES; count++) {
    const { schema, where, depth } = open.pop()!
    isDeep ||= depth > MAX_DEPTH
    if (!isObject(schema) || depth > MAX_DEPTH) continue
    const broken = INNER.filter(({ isBroken }) => isBroken(schema)).map(({ refusal }) => refusal)
    if (isDangling(schema, root)) broken.push(DANGLING)
    for (const refusal of broken) found.set(`${refusal.what} ${where}`, where === '' ? refusal : { ...refusal, where })
    for (const key of BELOW)
      for (const each of [schema[key]].flat()) open.push({ schema: each, where, depth: depth + 1 })
    for (const key of NAMED) {
      const members = isObject(schema[key]) ? Object.entries(schema[key]) : []
      for (const [name, each] of members)
        open.push({ schema: each, where: where === '' ? name : `${where}.${name}`, depth: depth + 1 })
    }
  }
  return isDeep || open.length > 0 ? [...found.values()] : [...found.values(), ...findInvalid(schema)]
}

const isDangling = ({ $ref }: JsonObject, root: unknown): boolean =>
  typeof $ref === 'string' && $ref.startsWith('#/') && findTarget($ref, root) === undefined
