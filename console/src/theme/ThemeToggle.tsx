// The choice of colours, for the header.
import { useState } from 'preact/hooks'
import { setTheme, THEMES, type Theme } from './theme.ts'

const LABELS: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }

export function ThemeToggle() {
  const [theme, choose] = useState<Theme>('system')
  const change = (value: string) => {
    const chosen = THEMES.find(each => each === value) ?? 'system'
    choose(chosen)
    setTheme(chosen)
  }
  return (
    <label class="row">
      <span>Colours</span>
      <select value={theme} onChange={event => change(event.currentTarget.value)}>
        {THEMES.map(each => (
          <option key={each} value={each}>
            {LABELS[each]}
          </option>
        ))}
      </select>
    </label>
  )
}
