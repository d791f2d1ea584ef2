// A field for any other value: JSON, parsed while the user types.
import { useState } from 'preact/hooks'
import { Fault, Frame, type KindProps, toLiteral } from '../Frame.tsx'
import { parseJson } from '../json-text.ts'
import { isEqual } from '../schema.ts'

export function JsonField(field: KindProps) {
  const { node, value, at, onChange } = field
  const [typed, type] = useState({ text: format(value), value })
  // A change from outside replaces the typed text.
  const text = isEqual(typed.value, value) ? typed.text : format(value)
  const parsed = text.trim() === '' ? undefined : parseJson(text)
  const fault = parsed !== undefined && 'fault' in parsed ? parsed.fault : undefined
  const change = (next: string) => {
    const read = next.trim() === '' ? { value: undefined } : parseJson(next)
    // While the text is invalid, the previous value stays.
    const kept = 'fault' in read ? value : read.value
    type({ text: next, value: kept })
    if (!('fault' in read)) onChange(at, read.value)
  }
  return (
    <Frame field={field}>
      {({ id, describedBy, isInvalid, label }) => (
        <div class={fault === undefined ? undefined : 'is-invalid'}>
          <textarea
            class="textarea textarea-code"
            id={id}
            rows={1}
            spellcheck={false}
            value={text}
            placeholder={node['default'] === undefined ? undefined : toLiteral(node['default'])}
            aria-label={label}
            aria-describedby={[describedBy, fault !== undefined && `${id}-json`].filter(Boolean).join(' ') || undefined}
            aria-invalid={isInvalid || fault !== undefined || undefined}
            onInput={event => change(event.currentTarget.value)}
          />
          {fault !== undefined && <Fault id={`${id}-json`} text={fault} />}
        </div>
      )}
    </Frame>
  )
}

const format = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, null, 2))
