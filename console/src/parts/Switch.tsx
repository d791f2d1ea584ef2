// On or off, at once.
import type { ComponentChildren } from 'preact'

interface Props {
  readonly isOn: boolean
  readonly isDisabled?: boolean
  readonly children: ComponentChildren
  onChange(isOn: boolean): void
}

export const Switch = ({ isOn, isDisabled, children, onChange }: Props) => (
  <label class="switch">
    <input
      type="checkbox"
      role="switch"
      aria-checked={isOn}
      checked={isOn}
      disabled={isDisabled}
      onChange={event => onChange(event.currentTarget.checked)}
    />
    {children}
  </label>
)
