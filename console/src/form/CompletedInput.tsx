// A text input with suggestions of the server.
import { useId } from 'preact/hooks'
import type { JsonObject } from '../client/json-rpc.ts'
import { useCompletion } from '../client/use-completion.ts'
import { Visible } from '../results/PlainText.tsx'

interface Props {
  /** The prompt or the resource template. */
  readonly completes: JsonObject
  readonly name: string
  readonly description?: string | undefined
  readonly isRequired?: boolean | undefined
  /** Of every argument. */
  readonly values: Readonly<Record<string, string>>
  onInput(value: string): void
}

export function CompletedInput({ completes, name, description, isRequired, values, onInput }: Props) {
  const id = useId()
  const { [name]: value = '', ...others } = values
  const suggestions = useCompletion(completes, name, value, others)
  return (
    <div class="field">
      <label for={id}>
        <Visible text={name} />
        {isRequired && <span class="req">required</span>}
      </label>
      {description !== undefined && (
        <span id={`${id}-about`} class="hint">
          <Visible text={description} />
        </span>
      )}
      <input
        id={id}
        list={`${id}-list`}
        required={isRequired}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={description === undefined ? undefined : `${id}-about`}
        value={value}
        onInput={event => onInput(event.currentTarget.value)}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map(each => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </div>
  )
}
