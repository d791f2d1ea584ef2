// What the browser keeps of this page: choices of the user, never tokens, arguments or results.
// A browser may refuse to keep anything; a choice then lives as long as the page.

const PREFIX = 'toolrack:'

/** The storage of this tab, which outlives a reload. @returns undefined where the browser has none for this page */
export function findTabStorage(): Storage | undefined {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

/** @param storage `localStorage` outlives the tab, `sessionStorage` outlives a reload only */
export function readKept(key: string, storage: () => Storage = () => localStorage): string | undefined {
  try {
    return storage().getItem(PREFIX + key) ?? undefined
  } catch {
    return undefined
  }
}

/** @param value undefined forgets it */
export function keep(key: string, value: string | undefined, storage: () => Storage = () => localStorage): void {
  try {
    if (value === undefined) storage().removeItem(PREFIX + key)
    else storage().setItem(PREFIX + key, value)
  } catch {
    // Nothing depends on it.
  }
}
