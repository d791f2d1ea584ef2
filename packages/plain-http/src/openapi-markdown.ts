// Removes Markdown that linters call unsafe from descriptions: script tags, handlers, links to
// scripts. Pages that show descriptions of others still have to sanitise them.
const SCRIPT = /<(?=\/?script\b)/gi
const HANDLER = /\bon[a-z]+\s*=/i
const TAG = /<(?=[a-z])/gi
const SCRIPT_URL = /(\]\(\s*|\b(?:href|src)\s*=\s*(?:["']\s*)?)javascript:/gi

export const toSafeMarkdown = (text: string): string =>
  text.replace(HANDLER.test(text) ? TAG : SCRIPT, '&lt;').replace(SCRIPT_URL, '$1javascript :')
