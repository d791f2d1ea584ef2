// A text input with suggestions of the server. WAI-ARIA: Combobox pattern, with a list.
import { useId, useState } from 'preact/hooks'
import type { JsonObject } from '../client/json-rpc.ts'
import { useCompletion } from '../client/use-completion.ts'
import { Icon } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'
import { InlineText } from '../results/Markdown.tsx'
import { Hits, toPattern } from '../shell/Hits.tsx'

interface Props {
  /** The prompt or the resource template. */
  readonly completes: JsonObject
  readonly name: string
  readonly description?: string | undefined
  /** `false`: the user can leave it out again. */
  readonly isRequired?: boolean | undefined
  /** The values of all arguments. */
  readonly values: Readonly<Record<string, string>>
  onInput(value: string): void
}

/** The server may suggest 100, but more than this do not help. */
const MAX_SHOWN = 20

export function CompletedInput({ completes, name, description, isRequired, values, onInput }: Props) {
  const id = useId()
  const { [name]: value = '', ...others } = values
  const suggestions = useCompletion(completes, name, value, others)
    .filter(each => each !== value)
    .slice(0, MAX_SHOWN)
  const [isOpen, open] = useState(false)
  const [active, activate] = useState<number>()
  const isShown = isOpen && suggestions.length > 0
  const choose = (chosen: string) => {
    onInput(chosen)
    open(false)
    activate(undefined)
  }
  const steer = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const { length } = suggestions
    if (step !== undefined && length > 0) {
      open(true)
      activate(((active ?? (step === 1 ? -1 : length)) + step + length) % length)
    } else if (!isShown) return
    else if (event.key === 'Enter' && active !== undefined && !event.ctrlKey && !event.metaKey)
      choose(suggestions[active]!)
    else if (event.key === 'Escape') open(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>
          <Visible text={name} />
        </label>
        {isRequired && <span class="req">required</span>}
        <span class="meta">text</span>
        {isRequired === false && value !== '' && (
          <button
            type="button"
            class="icon-button"
            aria-label={`Leave ${name} out`}
            title="Leave out"
            onClick={() => onInput('')}
          >
            <Icon name="x" size={12} />
          </button>
        )}
      </div>
      <div class="complete">
        <input
          id={id}
          class="input"
          role="combobox"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isShown && active !== undefined ? `${id}-${active}` : undefined}
          aria-describedby={description === undefined ? undefined : `${id}-hint`}
          required={isRequired}
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={event => {
            onInput(event.currentTarget.value)
            open(true)
            activate(undefined)
          }}
          onFocus={() => open(true)}
          onBlur={() => open(false)}
          onKeyDown={steer}
        />
        {isShown && (
          <div class="complete-list" id={`${id}-list`} role="listbox" aria-label="Suggestions">
            {suggestions.map((each, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys of the list
              <div
                key={each}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === active}
                tabIndex={-1}
                // The input keeps the focus.
                onPointerDown={event => event.preventDefault()}
                onClick={() => choose(each)}
              >
                <Hits text={each} pattern={toPattern(value === '' ? [] : [value])} />
              </div>
            ))}
          </div>
        )}
      </div>
      {description !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          <InlineText text={description} />
        </p>
      )}
    </div>
  )
}
