// On or off, at once.
import type { ComponentChildren } from 'preact'

interface Props {
  readonly isOn: boolean
  readonly isDisabled?: boolean
  readonly id?: string
  /** For a switch without text beside it. */
  readonly label?: string | undefined
  readonly describedBy?: string | undefined
  readonly isInvalid?: boolean
  readonly children?: ComponentChildren
  onChange(isOn: boolean): void
}

export const Switch = ({ isOn, isDisabled, id, label, describedBy, isInvalid, children, onChange }: Props) => (
  <label class="switch">
    <input
      id={id}
      type="checkbox"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isInvalid || undefined}
      checked={isOn}
      disabled={isDisabled}
      onChange={event => onChange(event.currentTarget.checked)}
    />
    {children}
  </label>
)
