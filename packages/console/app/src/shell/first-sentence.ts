/** The line below a name in a list. */
export const toFirstSentence = (text: string | undefined): string | undefined =>
  text
    ?.trim()
    .split(/(?<=[.!?])\s|\n/, 1)[0]
    ?.replace(/\.$/, '')
