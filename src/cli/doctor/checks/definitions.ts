// Definitions of tools that clients, or the services of models behind them, refuse or change.
// docs/cli.md names the sources of these rules.

import { isObject, type JsonObject } from '../../../protocol/messages.ts'
import { withLocalReferences } from '../../../schema/local-references.ts'

export interface Refusal {
  readonly level: 'warning' | 'problem'
  readonly what: string
  readonly fix: string
  /** The place in the schema. */
  readonly where?: string
}

const UNIONS = ['anyOf', 'oneOf', 'allOf']
const MAX_NODES = 5000
const MAX_DEPTH = 40
/** Clients put their own name for the server before that of the tool. */
const [MAX_NAME, LONG_NAME] = [64, 50]

export function findRefusals({ name, description, inputSchema, outputSchema }: JsonObject): readonly Refusal[] {
  return [
    ...findNameRefusals(String(name)),
    ...(typeof description === 'string' && description.trim() !== '' ? [] : [NO_DESCRIPTION]),
    ...findRootRefusals(inputSchema),
    ...findOutputRefusals(outputSchema),
    ...findInnerRefusals(inputSchema),
  ]
}

const NO_DESCRIPTION: Refusal = {
  level: 'warning',
  what: 'no description, by which models choose',
  fix: 'say in one or two sentences what the tool does, and when to call it',
}

function findNameRefusals(name: string): readonly Refusal[] {
  if (!/^[a-zA-Z0-9_-]*$/.test(name))
    return [
      {
        level: 'problem',
        what: 'the name has other characters than a-z A-Z 0-9 _ -, which OpenAI and Anthropic refuse',
        fix: 'rename the tool',
      },
    ]
  if (name.length > MAX_NAME)
    return [
      {
        level: 'problem',
        what: `the name is longer than ${MAX_NAME} characters, which OpenAI refuses`,
        fix: 'shorten it',
      },
    ]
  return name.length > LONG_NAME
    ? [
        {
          level: 'warning',
          what: `the name is longer than ${LONG_NAME} characters; with the prefix of a client it may pass 64`,
          fix: 'shorten it',
        },
      ]
    : []
}

function findRootRefusals(schema: unknown): readonly Refusal[] {
  if (!isObject(schema))
    return [
      {
        level: 'problem',
        what: 'inputSchema is missing, and MCP clients refuse the whole list',
        fix: `add inputSchema: { type: 'object' }`,
      },
    ]
  const found: Refusal[] = []
  if (schema['type'] !== 'object')
    found.push({
      level: 'problem',
      what: `inputSchema is not of type 'object' at its root, and MCP clients refuse the whole list`,
      fix: `add type: 'object'`,
    })
  const union = UNIONS.find(each => schema[each] !== undefined)
  if (union !== undefined)
    found.push({
      level: 'problem',
      what: `inputSchema has ${union} at its root, which Anthropic and OpenAI refuse`,
      fix: 'make one object with optional properties, and check the rest in the tool',
    })
  if (schema['$ref'] !== undefined)
    found.push({
      level: 'problem',
      what: 'inputSchema is a $ref at its root, which OpenAI refuses',
      fix: 'write the object itself',
    })
  return found
}

const findOutputRefusals = (schema: unknown): readonly Refusal[] =>
  schema === undefined || (isObject(schema) && schema['type'] === 'object')
    ? []
    : [
        {
          level: 'problem',
          what: `outputSchema is not of type 'object', and the SDK of TypeScript 1.x refuses the whole list`,
          fix: `put the result into an object`,
        },
      ]

/** Rules for each part of a schema. */
const INNER: readonly { readonly refusal: Refusal; isBroken(schema: JsonObject): boolean }[] = [
  {
    isBroken: ({ type }) => Array.isArray(type),
    refusal: {
      level: 'warning',
      what: 'type is a list, which Gemini refuses unless its client rewrites it',
      fix: 'use one type, and leave the property optional in place of null',
    },
  },
  {
    isBroken: ({ enum: values }) => Array.isArray(values) && new Set(values.map(value => typeof value)).size > 1,
    refusal: {
      level: 'warning',
      what: 'enum has values of several types, which Gemini refuses',
      fix: 'use texts only',
    },
  },
  {
    isBroken: ({ enum: values }) => Array.isArray(values) && values.includes(''),
    refusal: {
      level: 'warning',
      what: 'enum has an empty text, which Gemini refuses',
      fix: 'leave it away, and the property optional',
    },
  },
  {
    isBroken: ({ type, items, prefixItems }) => type === 'array' && items === undefined && prefixItems === undefined,
    refusal: {
      level: 'warning',
      what: 'an array without items, which OpenAI and Gemini refuse',
      fix: 'say what its items are',
    },
  },
  {
    isBroken: ({ $ref }) => typeof $ref === 'string' && !$ref.startsWith('#'),
    refusal: {
      level: 'problem',
      what: '$ref to another document, which no client follows',
      fix: 'write the definition into $defs',
    },
  },
]

const IDENTIFIERS: Refusal = {
  level: 'warning',
  what: 'inputSchema has $id, $anchor or $dynamicRef, which many clients do not follow',
  fix: 'refer to #/$defs/NAME',
}

/** Places where schemas stand: one, a list, or by name. */
const BELOW = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'anyOf', 'oneOf', 'allOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

function findInnerRefusals(schema: unknown): readonly Refusal[] {
  const { inputSchema: root } = withLocalReferences({ inputSchema: schema })
  const found = new Map<string, Refusal>()
  if (root !== schema) found.set('', IDENTIFIERS)
  const open: { schema: unknown; where: string; depth: number }[] = [{ schema: root, where: '', depth: 0 }]
  for (let count = 0; open.length > 0 && count < MAX_NODES; count++) {
    const { schema, where, depth } = open.pop()!
    if (!isObject(schema) || depth > MAX_DEPTH) continue
    for (const { refusal, isBroken } of INNER)
      if (isBroken(schema)) found.set(`${refusal.what} ${where}`, where === '' ? refusal : { ...refusal, where })
    for (const key of BELOW)
      for (const each of [schema[key]].flat()) open.push({ schema: each, where, depth: depth + 1 })
    for (const key of NAMED) {
      const members = isObject(schema[key]) ? Object.entries(schema[key]) : []
      for (const [name, each] of members)
        open.push({ schema: each, where: where === '' ? name : `${where}.${name}`, depth: depth + 1 })
    }
  }
  return [...found.values()]
}
