// The arguments of a call: a form and its JSON, each written from the other; and the call itself.
import type { Tool } from '@modelcontextprotocol/client'
import { useId, useState } from 'preact/hooks'
import type { Call } from '../calls/call.ts'
import { useStore } from '../client/use-store.ts'
import { formatArguments, parseArguments } from '../form/form-data.ts'
import { createInitialData, SchemaForm, toArguments } from '../form/SchemaForm.tsx'
import { useConsole } from '../shell/context.ts'
import { ErrorBoundary } from '../shell/ErrorBoundary.tsx'
import { SameCall } from './SameCall.tsx'

export function Arguments({ tool, call }: { tool: Tool; call: Call | undefined }) {
  const { calls, connection } = useConsole()
  const { era } = useStore(connection.state)
  const [data, setData] = useState<unknown>(() => call?.args ?? startWith(tool))
  const [text, setText] = useState(() => formatArguments(toArguments(tool.inputSchema, data)))
  const [isInvalid, setInvalid] = useState(false)
  const support = era === 'legacy' ? tool.execution?.taskSupport : undefined
  const [asTask, setAsTask] = useState(support === 'required')
  const parsed = parseArguments(text)
  // The JSON is what is sent: it may leave out a default of the form.
  const args = 'value' in parsed ? parsed.value : toArguments(tool.inputSchema, data)
  const isRunning = call?.status === 'running'
  const onForm = (value: unknown) => {
    setData(value)
    setText(formatArguments(toArguments(tool.inputSchema, value)))
  }
  const onText = (value: string) => {
    setText(value)
    const next = parseArguments(value)
    if ('value' in next) setData(next.value)
  }
  const run = () => {
    setInvalid(false)
    if (!isRunning) void calls.start(tool, args, asTask || support === 'required')
  }
  return (
    <section aria-label="Arguments" class="arguments" onKeyDown={submitByKey}>
      <div class="columns">
        <div class="panel">
          <h2>Form</h2>
          {hasNoArguments(tool) && <p class="hint">This tool takes no arguments.</p>}
          <ErrorBoundary>
            <SchemaForm
              schema={tool.inputSchema}
              value={data}
              idPrefix="arg"
              onChange={onForm}
              onSubmit={run}
              onInvalid={() => setInvalid(true)}
            >
              <div class="row call-buttons">
                <button
                  type="submit"
                  class="button button-primary"
                  disabled={isRunning || 'error' in parsed}
                  title="Ctrl+Enter"
                >
                  Call
                </button>
                {isRunning && (
                  <button type="button" class="button button-danger" onClick={() => calls.cancel(call.id)}>
                    Cancel
                  </button>
                )}
                {isInvalid && (
                  <button type="button" class="button" onClick={run}>
                    Call anyway
                  </button>
                )}
                {support === 'optional' && (
                  <label class="row">
                    <input
                      type="checkbox"
                      checked={asTask}
                      onChange={event => setAsTask(event.currentTarget.checked)}
                    />
                    As a task
                  </label>
                )}
                <span class="hint">Ctrl+Enter</span>
              </div>
              <p class="form-summary" role="alert">
                {isInvalid && 'The arguments do not fit the schema. See the fields.'}
              </p>
            </SchemaForm>
          </ErrorBoundary>
        </div>
        <JsonEditor text={text} error={'error' in parsed ? parsed.error : undefined} onText={onText} />
      </div>
      <SameCall tool={tool} args={args} />
    </section>
  )
}

const CONTENT = ['allOf', 'anyOf', 'oneOf', 'if', '$ref', 'patternProperties']

function hasNoArguments({ inputSchema }: Tool): boolean {
  const { properties = {}, additionalProperties } = inputSchema
  const isOpen = typeof additionalProperties === 'object' || CONTENT.some(keyword => keyword in inputSchema)
  return !isOpen && Object.keys(properties).length === 0
}

/** A schema that no form can be made of starts empty. */
function startWith(tool: Tool): unknown {
  try {
    return createInitialData(tool.inputSchema)
  } catch {
    return {}
  }
}

function submitByKey(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.querySelector<HTMLButtonElement>('button[type="submit"]')?.click()
}

interface EditorProps {
  readonly text: string
  readonly error: string | undefined
  onText(text: string): void
}

function JsonEditor({ text, error, onText }: EditorProps) {
  const id = useId()
  return (
    <div class="panel json-editor">
      <h2>
        <label for={id}>JSON</label>
      </h2>
      <textarea
        id={id}
        rows={Math.min(24, Math.max(8, text.split('\n').length + 1))}
        spellcheck={false}
        value={text}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-error`}
        onInput={event => onText(event.currentTarget.value)}
      />
      <p id={`${id}-error`} class="form-errors" role="alert">
        {error}
      </p>
    </div>
  )
}
