// A choice of one from two to four values. Arrow keys move, as in every group of radio buttons.
import { useId } from 'preact/hooks'

interface Props<T extends string> {
  readonly label: string
  readonly choices: readonly (readonly [value: T, label: string])[]
  /** `undefined`: nothing is chosen. */
  readonly value: T | undefined
  /** Fills the width of a form. */
  readonly isField?: boolean
  readonly describedBy?: string | undefined
  onChange(value: T): void
}

export function Segmented<T extends string>({ label, choices, value, isField, describedBy, onChange }: Props<T>) {
  const name = useId()
  return (
    <div
      class={isField ? 'segmented segmented-field' : 'segmented'}
      role="radiogroup"
      aria-label={label}
      aria-describedby={describedBy}
    >
      {choices.map(([each, text]) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChange(each)} />
          {text}
        </label>
      ))}
    </div>
  )
}
