// The schemas of a tool, and its signature with one parameter per line.
import type { Tool } from '@modelcontextprotocol/client'
import { listProperties } from '@toolrack/json-schema/reader'
import { formatType } from '@toolrack/json-schema/signature'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { createModel } from '../form/model.ts'
import { type Document, resolveNode } from '../form/schema.ts'
import { describeType } from '../form/words.ts'
import { JsonText } from '../parts/JsonText.tsx'
import { Visible } from '../parts/Visible.tsx'
import { toJson } from '../results/values.ts'

const MAX_PARAMETERS = 200
const MAX_DEPTH = 3

export const toSchemas = ({ inputSchema, outputSchema }: Tool): JsonObject =>
  outputSchema === undefined ? inputSchema : { inputSchema, outputSchema }

export function SchemaTab({ tool }: { tool: Tool }) {
  return (
    <div class="stack-16">
      <section class="stack-8">
        <h2>Signature</h2>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
        <pre class="signature code-plain" tabIndex={0}>
          <Signature tool={tool} />
        </pre>
      </section>
      <Schema title="Input schema" schema={tool.inputSchema} />
      {tool.outputSchema !== undefined && <Schema title="Output schema" schema={tool.outputSchema} />}
    </div>
  )
}

/** The button Copy is beside the tabs. */
function Schema({ title, schema }: { title: string; schema: unknown }) {
  return (
    <section class="stack-8">
      <h2>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre class="signature code-plain" tabIndex={0}>
        <JsonText text={toJson(schema)} />
      </pre>
    </section>
  )
}

function Signature({ tool }: { tool: Tool }) {
  const { document } = createModel(tool.inputSchema)
  const members = listMembers(tool.inputSchema, document, 1)
  return (
    <>
      <Visible text={tool.name} />
      <Mark text={members.length === 0 ? '()' : '({'} />
      {members}
      {members.length > 0 && (
        <>
          {'\n'}
          <Mark text="})" />
        </>
      )}
      {tool.outputSchema !== undefined && (
        <>
          <Mark text=" → " />
          <Visible text={formatType(tool.outputSchema)} />
        </>
      )}
    </>
  )
}

const Mark = ({ text }: { text: string }) => <span class="tok-p">{text}</span>

/** One line for each member; the members of an object below it. */
function listMembers(schema: unknown, document: Document, depth: number): preact.ComponentChild[] {
  const node = resolveNode(schema, undefined, document)
  const rows = listProperties(node)
  const { $defs, definitions: older } = isObject(document.root) ? document.root : {}
  const definitions = { $defs, definitions: older }
  const lines = rows.slice(0, MAX_PARAMETERS).map(({ name, schema: below, isRequired }) => {
    const member = resolveNode(below, undefined, document)
    const inner = depth < MAX_DEPTH && isObject(member['properties']) ? listMembers(member, document, depth + 1) : []
    const indent = '  '.repeat(depth)
    return (
      <span key={name}>
        {`\n${indent}`}
        <Visible text={name} />
        <Mark text={isRequired ? ': ' : '?: '} />
        {inner.length > 0 ? (
          <>
            <Mark text="{" />
            {inner}
            {`\n${indent}`}
            <Mark text="}" />
          </>
        ) : (
          <span class="tok-w">
            <Visible text={formatType({ ...definitions, ...member })} />
          </span>
        )}
        <span class="tok-c">
          <Visible text={describeNotes(member, document)} />
        </span>
      </span>
    )
  })
  return rows.length > MAX_PARAMETERS ? [...lines, `\n  … ${rows.length - MAX_PARAMETERS} more`] : lines
}

/** `  // 1 to 100, default 20`. */
function describeNotes(node: JsonObject, document: Document): string {
  const [, ...bounds] = describeType(node, document).split(', ')
  const format = typeof node['format'] === 'string' ? [node['format']] : []
  const fallback = Object.hasOwn(node, 'default') ? [`default ${JSON.stringify(node['default'])}`] : []
  const notes = [...format, ...bounds, ...fallback]
  return notes.length === 0 ? '' : `  // ${notes.join(', ')}`
}
