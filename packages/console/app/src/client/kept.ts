// Choices of the user that the browser keeps for this page, but never tokens, arguments or results.
// If a browser refuses to keep them, a choice lives as long as the page.

const PREFIX = 'toolrack:'

/**
 * The storage of this tab, which survives a reload.
 *
 * @returns undefined if the browser offers none to this page
 */
export function findTabStorage(): Storage | undefined {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

/** @param storage `localStorage` survives the tab, `sessionStorage` survives only a reload */
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
    // The page works without it.
  }
}
