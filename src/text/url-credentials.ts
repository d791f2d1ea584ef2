// Removes user names and passwords in URLs from texts that are printed or logged. Works on any text,
// since invalid URLs are printed, too.

type Rule = readonly [RegExp, string]

/** Each takes linear time, because clients choose much of the text. */
export const CREDENTIAL_RULES: readonly Rule[] = [
  // A password may contain an unencoded slash. In an HTTP URL that could be a port and a path.
  [/(:\/\/)(?<!\b(?:https?|wss?):\/\/)[^\s/:@'"[]{0,100}:(?:(?!:\/\/)[^\s'"]){1,500}@/gi, '$1[credentials]@'],
  [/(:\/\/)[^\s/'"]{1,500}@/g, '$1[credentials]@'],
  [/(:\/\/)[^\s/:@'"[]{0,100}:(?!\d{1,5}(?:[/?#]|$))(?:(?!:\/\/)[^\s'"]){1,500}@/g, '$1[credentials]@'],
]

/** `http://me:secret@host/` → `http://[credentials]@host/`. */
export const hideCredentials = (text: string): string =>
  CREDENTIAL_RULES.reduce((hidden, [pattern, replacement]) => hidden.replace(pattern, replacement), text)

/** A word without a scheme may also be meant as a URL with a password. */
export const WITH_PASSWORD = /^[^\s/@=]*:[^\s/@]*@/

/** A word that was meant as a URL, in the form for messages. */
export const toShownUrl = (word: string): string => hideCredentials(word.replace(WITH_PASSWORD, '[credentials]@'))

export const quoteUrl = (word: string): string => JSON.stringify(toShownUrl(word))

export const hasCredentials = ({ username, password }: URL): boolean => username !== '' || password !== ''
