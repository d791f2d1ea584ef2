// Removes control characters, ANSI escapes, tags and bidi overrides from text for models and terminals.
// Words stay apart: characters that end a line become a line feed, a unit separator becomes a blank.

// Keeps tab, line feed, CR before LF, and the joiners that scripts and emoji need.
const UNWANTED = new RegExp(
  [
    '[\\u0000-\\u0008\\u000e-\\u001b\\u007f-\\u0083\\u0086-\\u009f]', // C0 and C1 controls
    '[\\u202a-\\u202e\\u2066-\\u2069]', // bidirectional embeddings, overrides and isolates
    '[\\u200b\\u2060\\ufeff]', // zero-width, without the joiners
    '[\\u{e0000}-\\u{e007f}]', // tags
  ].join('|'),
  'gu',
)
/**
 * The newline functions of Unicode (5.8) except LF and CR LF; IND; and the separators of files,
 * groups and records. LS and PS stay, since JSON may contain them.
 */
const NEWLINES = /\r(?!\n)|[\v\f\u001c-\u001e\u0084\u0085]/g
const UNIT_SEPARATOR = '\u001f'
const SUSPECT = new RegExp(`${NEWLINES.source}|${UNIT_SEPARATOR}|${UNWANTED.source}`, 'u')
const INTRODUCER = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/

// Escape sequences of ECMA-48. A string ends at the next escape, so that unterminated ones are not
// searched repeatedly: util.stripVTControlCharacters takes a minute for 400 kB of them.
const ESCAPES = new RegExp(
  [
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0080-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)', // strings
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]', // control sequences, such as colours
    '\\u001b[ -/]*[0-~]', // all others
  ].join('|'),
  'g',
)

/** Counts removed characters, so that a result can report it. */
export interface StripCount {
  stripped: number
}

export function cleanText(text: string, tally?: StripCount): string {
  if (!SUSPECT.test(text)) return text.isWellFormed() ? text : replaceLoneSurrogates(text, tally)
  const plain = INTRODUCER.test(text) ? text.replace(ESCAPES, toBreak) : text
  let stripped = text.length - plain.length
  const clean = plain.replace(UNWANTED, () => {
    stripped++
    return ''
  })
  if (tally !== undefined) tally.stripped += stripped
  return clean.replace(NEWLINES, '\n').replaceAll(UNIT_SEPARATOR, ' ').toWellFormed()
}

/** IND, NEL, cursor down, cursor to the next line. */
const LINE_ESCAPE = /^(?:\u001b[DE]|(?:\u001b\[|\u009b)\d*[BE])$/
const toBreak = (sequence: string) => (LINE_ESCAPE.test(sequence) ? '\n' : '')

/** Clean text on one line, without blanks around it. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ').trim()

function replaceLoneSurrogates(text: string, tally: StripCount | undefined): string {
  if (tally !== undefined) tally.stripped++
  return text.toWellFormed()
}
