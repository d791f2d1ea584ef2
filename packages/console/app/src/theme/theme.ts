// Light or dark: the system's choice, until the user chooses. The browser keeps the choice.
import { keep, readKept } from '../client/kept.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const DARK = '(prefers-color-scheme: dark)'
const KEY = 'theme'

/** The user's choice, else `system`. */
export const readTheme = (): Theme => THEMES.find(theme => theme === readKept(KEY)) ?? 'system'

/** @param theme `system` follows the system */
export function setTheme(theme: Theme): void {
  keep(KEY, theme === 'system' ? undefined : theme)
  showTheme(theme)
}

/** Applies the theme to the page. */
export function showTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset['theme']
  else dataset['theme'] = theme
}

/** Calls back after each change of colours, by the user or by the system. @returns ends it */
export function onThemeChange(changed: () => void): () => void {
  const system = window.matchMedia(DARK)
  const chosen = new MutationObserver(changed)
  system.addEventListener('change', changed)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => {
    system.removeEventListener('change', changed)
    chosen.disconnect()
  }
}
