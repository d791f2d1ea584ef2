// A choice of one value. Few short values are side by side; others are in a list, with a search if
// there are many.
import { useId } from 'preact/hooks'
import { Segmented } from '../../parts/Segmented.tsx'
import { toVisible } from '../../parts/visible-text.ts'
import { Frame, type InputIds, type KindProps, nameField, toLiteral } from '../Frame.tsx'
import { useForm } from '../form-context.ts'
import { type Choice, findChoices, isEqual } from '../schema.ts'

const MAX_SEGMENTS = 4
const MAX_SEGMENT_CHARACTERS = 32
const MAX_OPTIONS = 200

const UNSET = 'unset'

/** Whether choices fit side by side. */
export const areSegments = (choices: readonly { readonly label: string }[]): boolean =>
  choices.length <= MAX_SEGMENTS && choices.reduce((sum, { label }) => sum + label.length, 0) <= MAX_SEGMENT_CHARACTERS

export function ChoiceField(field: KindProps) {
  const { document } = useForm()
  const { node, value, isRequired, label } = field
  const choices = findChoices(node, document) ?? []
  const chosen = choices.findIndex(choice => isEqual(choice.value, value))
  const isUnknown = value !== undefined && value !== null && chosen < 0
  const props = { field, choices, chosen }
  if (areSegments(choices) && !isUnknown && label === undefined) {
    return (
      <Frame field={field} isGroup meta={isRequired ? '' : undefined} hasLeaveOut={false}>
        {ids => <Segments {...props} ids={ids} />}
      </Frame>
    )
  }
  return (
    <Frame field={field} hasLeaveOut={choices.length > MAX_OPTIONS}>
      {ids => (choices.length > MAX_OPTIONS ? <Search {...props} ids={ids} /> : <Select {...props} ids={ids} />)}
    </Frame>
  )
}

interface Props {
  readonly field: KindProps
  readonly choices: readonly Choice[]
  /** Index; -1: none. */
  readonly chosen: number
  readonly ids: InputIds
}

function Segments({ field, choices, chosen, ids }: Props) {
  const { node, value, at, isRequired, onChange } = field
  const all = choices.map(({ label }, index) => [String(index), toVisible(label)] as const)
  const unset = value === undefined ? UNSET : undefined
  return (
    <Segmented
      isField
      label={toVisible(nameField(field, node).name)}
      choices={isRequired ? all : [[UNSET, 'Not set'] as const, ...all]}
      value={chosen < 0 ? unset : String(chosen)}
      describedBy={ids.describedBy}
      onChange={next => onChange(at, next === UNSET ? undefined : choices[Number(next)]?.value)}
    />
  )
}

function Select({ field, choices, chosen, ids }: Props) {
  const { value, at, isRequired, onChange } = field
  const isUnknown = value !== undefined && chosen < 0
  const change = (next: string) => onChange(at, next === UNSET ? undefined : choices[Number(next)]?.value)
  return (
    <select
      class="select"
      id={ids.id}
      aria-label={ids.label}
      aria-describedby={ids.describedBy}
      aria-invalid={ids.isInvalid || undefined}
      value={value === undefined ? UNSET : String(chosen)}
      onChange={event => change(event.currentTarget.value)}
    >
      <option value={UNSET} disabled={isRequired && value !== undefined}>
        {isRequired ? 'Choose…' : 'Not set'}
      </option>
      {isUnknown && <option value="-1">{toVisible(toLiteral(value))} (not in the list)</option>}
      {choices.map(({ label }, index) => (
        <option key={index} value={String(index)}>
          {toVisible(label)}
        </option>
      ))}
    </select>
  )
}

const MAX_SUGGESTIONS = 50

/** Text finds a choice. While it matches none, it is sent as it is, and is invalid. */
function Search({ field, choices, chosen, ids }: Props) {
  const { value, at, onChange } = field
  const list = useId()
  const text = choices[chosen]?.label ?? (value === undefined ? '' : toLiteral(value))
  const found = choices.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
  const change = (next: string) => {
    const choice = choices.find(({ label }) => label === next)
    onChange(at, next === '' ? undefined : choice === undefined ? next : choice.value)
  }
  return (
    <>
      <input
        class="input"
        id={ids.id}
        list={list}
        autocomplete="off"
        spellcheck={false}
        value={text}
        placeholder="Type to search"
        aria-label={ids.label}
        aria-describedby={ids.describedBy}
        aria-invalid={ids.isInvalid || undefined}
        onInput={event => change(event.currentTarget.value)}
      />
      <datalist id={list}>
        {found.slice(0, MAX_SUGGESTIONS).map(({ label }) => (
          <option key={label} value={label} />
        ))}
      </datalist>
    </>
  )
}
