// A choice of several values: up to 8 as boxes, more as a list with a search.
import { useState } from 'preact/hooks'
import { Icon } from '../../parts/Icon.tsx'
import { Visible } from '../../parts/Visible.tsx'
import { toVisible } from '../../parts/visible-text.ts'
import { Frame, type KindProps, nameField, toLiteral } from '../Frame.tsx'
import { useForm } from '../form-context.ts'
import { findItemChoices } from '../kinds.ts'
import { type Choice, isEqual } from '../schema.ts'

const MAX_BOXES = 8
const MAX_FOUND = 8

export function ChoicesField(field: KindProps) {
  const { document } = useForm()
  const { node, value, at, isRequired, onChange } = field
  const choices = findItemChoices(node, document) ?? []
  const chosen = Array.isArray(value) ? (value as readonly unknown[]) : []
  const toggle = (choice: Choice, isOn: boolean) => {
    const others = chosen.filter(each => !isEqual(each, choice.value))
    // In the order of the schema; unknown values stay at the end.
    const kept = choices.filter(each => others.some(other => isEqual(other, each.value)) || (isOn && each === choice))
    const unknown = others.filter(each => !choices.some(other => isEqual(other.value, each)))
    onChange(at, [...kept.map(each => each.value), ...unknown])
  }
  const isChosen = (choice: Choice) => chosen.some(each => isEqual(each, choice.value))
  const note = value === undefined ? isRequired && <LeaveEmpty field={field} /> : `${chosen.length} chosen`
  return (
    <Frame field={field} isGroup note={note}>
      {() =>
        choices.length <= MAX_BOXES ? (
          <div class="checks">
            {choices.map((choice, index) => (
              <label key={index} class="check">
                <input
                  type="checkbox"
                  checked={isChosen(choice)}
                  onChange={event => toggle(choice, event.currentTarget.checked)}
                />
                <span>
                  <Visible text={choice.label} />
                </span>
              </label>
            ))}
          </div>
        ) : (
          <Chips field={field} choices={choices} chosen={chosen} onToggle={toggle} />
        )
      }
    </Frame>
  )
}

/** A required list or map that may be empty. */
export const LeaveEmpty = ({ field: { at, onChange }, empty = [] }: { field: KindProps; empty?: unknown }) => (
  <>
    Not set yet{' '}
    <button type="button" class="button button-ghost button-s" onClick={() => onChange(at, empty)}>
      Leave empty
    </button>
  </>
)

interface ChipsProps {
  readonly field: KindProps
  readonly choices: readonly Choice[]
  readonly chosen: readonly unknown[]
  onToggle(choice: Choice, isOn: boolean): void
}

function Chips({ field, choices, chosen, onToggle }: ChipsProps) {
  const [query, search] = useState('')
  const name = toVisible(nameField(field, field.node).name)
  const found = choices.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase())).slice(0, MAX_FOUND)
  return (
    <div class="stack-8">
      {chosen.length > 0 && (
        <div class="chips">
          {chosen.map((value, index) => {
            const choice = choices.find(each => isEqual(each.value, value)) ?? { value, label: toLiteral(value) }
            return (
              <span key={index} class="badge">
                <Visible text={choice.label} />
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Remove ${toVisible(choice.label)}`}
                  onClick={() => onToggle(choice, false)}
                >
                  <Icon name="x" size={12} />
                </button>
              </span>
            )
          })}
        </div>
      )}
      <input
        class="input"
        type="search"
        aria-label={`Search ${name}`}
        placeholder={`Search ${choices.length.toLocaleString('en')} values`}
        value={query}
        onInput={event => search(event.currentTarget.value)}
      />
      <div class="checks">
        {found.map(choice => (
          <label key={choice.label} class="check">
            <input
              type="checkbox"
              checked={chosen.some(each => isEqual(each, choice.value))}
              onChange={event => onToggle(choice, event.currentTarget.checked)}
            />
            <span>
              <Visible text={choice.label} />
            </span>
          </label>
        ))}
      </div>
      {found.length === 0 && <p class="hint">No value matches “{query}”</p>}
    </div>
  )
}
