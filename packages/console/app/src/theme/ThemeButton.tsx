// Chooses the colours: those of the system, light, or dark.
import { useState } from 'preact/hooks'
import { Icon } from '../parts/Icon.tsx'
import { readTheme, setTheme, THEMES, type Theme } from './theme.ts'

const LABELS: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' }

export function ThemeButton() {
  const [theme, choose] = useState<Theme>(readTheme)
  const change = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!
    choose(next)
    setTheme(next)
  }
  const label = `Colours: ${LABELS[theme]}`
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={change}>
      <Icon name="theme" />
    </button>
  )
}
