// The start-up report on a terminal: a noun and its values per line, 15 lines at most if lines are
// 80 wide. The log line `started` has the rest.
import { styleText } from 'node:util'
import type { Shown, StartUpRow } from 'toolrack/records'
import { NOUNS } from 'toolrack/server'
import { toOneLine } from 'toolrack/text'
import { wrapText } from './wrap.ts'

interface Terminal {
  /** Its width; lines are wrapped at 60 or more. */
  readonly columns: number
  readonly hasColour: boolean
  /** The URL that other commands need; undefined if the environment has it. */
  readonly urlForCommands?: string | undefined
}

const MIN_COLUMNS = 60
const INDENT = '  '
const MIN_WIDTH = 12
/** Where to read how to turn a feature on. */
const HOW = 'docs/reference/settings.md has how'

export function formatStartUp(rows: readonly StartUpRow[], { columns, hasColour, urlForCommands }: Terminal): string {
  const connect = `toolrack connect${urlForCommands === undefined ? '' : ` --url ${urlForCommands}`}`
  const shown = rows.map(row => row.shown).filter(each => each !== undefined)
  const all: readonly Shown[] = [...shown, { noun: 'Next', text: connect }]
  const nouns = listNouns(all)
  const width = Math.max(MIN_WIDTH, ...nouns.map(noun => noun.length + 2))
  const room = Math.max(columns, MIN_COLUMNS) - INDENT.length - width
  const paint = (text: string) => (hasColour ? styleText('bold', text, { validateStream: false }) : text)
  return nouns
    .flatMap(noun => {
      const of = all.filter(each => each.noun === noun)
      if (of.length === 0) return []
      const text = `${of.map(each => formatShown(each, room)).join(', ')}${noun === 'Off' ? `; ${HOW}` : ''}`
      const [first = '', ...others] = wrapText(text, room)
      return [
        `${INDENT}${paint(noun.padEnd(width))}${first}\n`,
        ...others.map(line => `${' '.repeat(INDENT.length + width)}${line}\n`),
      ]
    })
    .join('')
}

/** Nouns of doors come after the page. */
function listNouns(shown: readonly Shown[]): readonly string[] {
  const known: readonly string[] = NOUNS
  const ofDoors = new Set(shown.map(({ noun }) => noun).filter(noun => !known.includes(noun)))
  const end = known.indexOf('Page') + 1
  return [...known.slice(0, end), ...ofDoors, ...known.slice(end)]
}

function formatShown({ text, items = [] }: Shown, room: number): string {
  const lead = toOneLine(text)
  if (items.length === 0) return lead
  for (let count = items.length; count > 0; count--) {
    const more = items.length - count
    const line = `${lead}: ${toOneLine(items.slice(0, count).join(', '))}${more === 0 ? '' : ` and ${more} more`}`
    if (line.length <= room) return line
  }
  return lead
}
