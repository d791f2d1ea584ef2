// The arguments as JSON, as they are sent. The form follows them.
import { useId } from 'preact/hooks'
import { Fault } from '../form/Frame.tsx'
import type { Issues } from '../form/issues.ts'
import type { Draft } from './draft.ts'

interface Props {
  readonly draft: Draft
  readonly issues: Issues
  onText(text: string): void
}

export function JsonTab({ draft: { text, fault }, issues, onText }: Props) {
  const id = useId()
  const isInvalid = fault !== undefined || issues.size > 0
  return (
    <div class={fault === undefined ? 'field' : 'field is-invalid'}>
      <label class="vh" for={id}>
        Arguments as JSON
      </label>
      <textarea
        class="textarea textarea-code textarea-8"
        id={id}
        spellcheck={false}
        value={text}
        aria-invalid={isInvalid || undefined}
        aria-describedby={fault === undefined ? `${id}-hint` : `${id}-hint ${id}-error`}
        onInput={event => onText(event.currentTarget.value)}
      />
      {fault !== undefined && <Fault id={`${id}-error`} text={fault} isAlert />}
      <p class="hint" id={`${id}-hint`}>
        This text is sent. The form follows it.
      </p>
    </div>
  )
}
