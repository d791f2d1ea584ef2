// The official schema of a revision (test/support/spec). That of the first draft, 2024-10-07, is written down here by what was
// different in it from that of 2024-11-05.
import { readFileSync } from 'node:fs'

export interface Definition {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Definition>>
  readonly required?: readonly string[]
  readonly items?: Definition
  readonly anyOf?: readonly Definition[]
  readonly allOf?: readonly Definition[]
  readonly [keyword: string]: unknown
}

type Definitions = Readonly<Record<string, Definition>>

export interface OfficialSchema {
  /** What its definitions stand under. */
  readonly name: '$defs' | 'definitions'
  readonly definitions: Definitions
}

export function officialSchema(version: string): OfficialSchema {
  if (version !== '2024-10-07') return read(version)
  const { name, definitions } = read('2024-11-05')
  return { name, definitions: toFirstDraft(definitions) }
}

function read(version: string): OfficialSchema {
  const schema = JSON.parse(readFileSync(new URL(`../spec/schema-${version}.json`, import.meta.url), 'utf8'))
  const name = '$defs' in schema ? '$defs' : 'definitions'
  return { name, definitions: schema[name] }
}

/** Nothing could be cancelled, nothing was annotated, and hints for a model were no type of their own. */
const LATER_DEFINITIONS = ['CancelledNotification', 'Annotated', 'ModelHint']

const LATER_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  InitializeResult: ['instructions'],
  Resource: ['annotations', 'size'],
  ResourceTemplate: ['annotations'],
  TextContent: ['annotations'],
  ImageContent: ['annotations'],
  EmbeddedResource: ['annotations'],
}

/** Members of the unions: templates were defined, but left out of them; who is asked for roots is the client. */
const LATER_IN_UNIONS = [...LATER_DEFINITIONS, 'ListResourceTemplatesRequest', 'ListResourceTemplatesResult']
const EARLIER_IN_UNIONS: Readonly<Record<string, string>> = { ClientRequest: 'ListRootsRequest' }

const isOf =
  (names: readonly string[]) =>
  ({ $ref }: Definition) =>
    names.some(name => $ref === `#/definitions/${name}`)

function toFirstDraft(newer: Definitions): Definitions {
  const kept = Object.entries(newer).filter(([name]) => !LATER_DEFINITIONS.includes(name))
  const older = Object.fromEntries(kept.map(([name, each]) => [name, olderUnion(name, olderMembers(name, each))]))
  const { Tool, ModelPreferences, CallToolResult } = older as Record<string, Definition>
  return {
    ...older,
    // The one value that the tool returned. Whether it failed, the value says.
    CallToolResult: {
      ...CallToolResult,
      properties: { _meta: CallToolResult!.properties!['_meta']!, toolResult: {} },
      required: ['toolResult'],
    },
    Tool: inMember(Tool!, 'inputSchema', schema => without(schema, ['required'])),
    // Any names and values.
    ModelPreferences: inMember(ModelPreferences!, 'hints', hints => ({ ...hints, items: { type: 'object' } })),
  }
}

function olderUnion(name: string, definition: Definition): Definition {
  if (definition.anyOf === undefined) return definition
  const earlier = EARLIER_IN_UNIONS[name]
  const members = definition.anyOf.filter(each => !isOf(LATER_IN_UNIONS)(each))
  return { ...definition, anyOf: earlier === undefined ? members : [...members, { $ref: `#/definitions/${earlier}` }] }
}

const olderMembers = (name: string, definition: Definition) => without(definition, LATER_MEMBERS[name] ?? [])

function without(definition: Definition, names: readonly string[]): Definition {
  const { properties } = definition
  if (properties === undefined || names.length === 0) return definition
  const kept = Object.entries(properties).filter(([name]) => !names.includes(name))
  return { ...definition, properties: Object.fromEntries(kept) }
}

function inMember(definition: Definition, name: string, change: (member: Definition) => Definition): Definition {
  const { properties } = definition
  return { ...definition, properties: { ...properties, [name]: change(properties![name]!) } }
}
