// The arguments as fields. If the form fails, the JSON can do everything.
import type { Tool } from '@modelcontextprotocol/client'
import type { JsonObject } from '../client/json-rpc.ts'
import { Fields } from '../form/Fields.tsx'
import type { Checks } from '../form/use-checks.ts'
import { Note } from '../parts/Note.tsx'
import { Visible } from '../parts/Visible.tsx'
import { ErrorBoundary } from '../shell/ErrorBoundary.tsx'
import type { Draft } from './draft.ts'

interface Props {
  readonly tool: Tool
  readonly checks: Checks
  readonly draft: Draft
  readonly idPrefix: string
  onChange(args: JsonObject): void
  onJson(): void
}

export function FormTab({ tool, checks, draft, idPrefix, onChange, onJson }: Props) {
  const toJson = (
    <button type="button" class="button button-s" onClick={onJson}>
      Show the JSON
    </button>
  )
  return (
    <>
      {draft.fault !== undefined && (
        <Note kind="warning">
          <p>
            <Visible text={draft.fault} />. The form shows what the JSON said before; a change in it replaces the JSON.
          </p>
          <p>{toJson}</p>
        </Note>
      )}
      {hasNoArguments(tool) && Object.keys(draft.last).length === 0 && <p class="hint">This tool takes no arguments</p>}
      <ErrorBoundary
        instead={
          <Note kind="warning" isAlert>
            <p>The form of this schema cannot be shown. Write the arguments as JSON.</p>
            <p>{toJson}</p>
          </Note>
        }
      >
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for parts of a form */}
        <div role="group" aria-label="Fields">
          <Fields checks={checks} value={draft.last} idPrefix={idPrefix} onChange={onChange} />
        </div>
      </ErrorBoundary>
    </>
  )
}

const CONTENT = ['allOf', 'anyOf', 'oneOf', 'if', '$ref', 'patternProperties']

function hasNoArguments({ inputSchema }: Tool): boolean {
  const { properties = {}, additionalProperties } = inputSchema
  const isOpen = typeof additionalProperties === 'object' || CONTENT.some(keyword => keyword in inputSchema)
  return !isOpen && Object.keys(properties).length === 0
}
