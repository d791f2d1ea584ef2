// The start-up report on a terminal: what is served, then what is off with how to turn it on, and
// last the links.
import { styleText } from 'node:util'
import { toOneLine } from '../text/one-line.ts'
import type { StartUpRow } from './banner.ts'
import { wrapText } from './wrap.ts'

interface Terminal {
  /** Its width; lines are wrapped at 60 or more. */
  readonly columns: number
  readonly hasColour: boolean
  /** The URL that other commands have to be given; none if the environment has it. */
  readonly urlForCommands?: string | undefined
}

const MIN_COLUMNS = 60
const INDENT = '  '
const GAP = '  '

/** What is served comes first; addresses that are links come last. */
const FIRST: readonly string[] = ['tools', 'tools that need', 'tools left out', 'resources, prompts']

type Cells = readonly [name: string, value: string]

export function formatStartUp(rows: readonly StartUpRow[], { columns, hasColour, urlForCommands }: Terminal): string {
  const isFirst = ({ name }: StartUpRow) => FIRST.includes(name)
  const ordered = [...rows.filter(isFirst), ...rows.filter(row => !isFirst(row))]
  const served = ordered.flatMap(toServed)
  const off = ordered.flatMap(toOff)
  const links: Cells[] = [
    ['connect a client', `toolrack connect${urlForCommands === undefined ? '' : ` --url ${urlForCommands}`}`],
    ...rows.filter(({ link }) => link === 'console').map(({ name, on = '' }): Cells => [name, on]),
    ...rows.filter(({ link }) => link === 'page').map(({ on = '' }): Cells => ['open in a browser', on]),
  ]
  const width = Math.max(...[...served, ...off, ...links].map(([name]) => name.length))
  const paint = (style: 'dim' | 'bold', text: string) =>
    hasColour ? styleText(style, text, { validateStream: false }) : text
  const block = (cells: readonly Cells[], style: 'dim' | 'bold') =>
    cells.flatMap(each => formatRow(each, width, Math.max(columns, MIN_COLUMNS), name => paint(style, name))).join('')
  const blocks = [block(served, 'dim'), `${INDENT}${paint('bold', 'Off, or could be more')}\n${block(off, 'dim')}`]
  return [...(off.length > 0 ? blocks : blocks.slice(0, 1)), block(links, 'bold')].join('\n')
}

const toServed = ({ name, on, link }: StartUpRow): readonly Cells[] =>
  on === undefined || link !== undefined ? [] : [[name, on]]

const toOff = ({ name, hint, hintName = name }: StartUpRow): readonly Cells[] =>
  hint === undefined ? [] : [[hintName, hint]]

/** A name and its value, which goes on below itself. */
function formatRow([name, value]: Cells, width: number, columns: number, paint: (name: string) => string) {
  const room = columns - INDENT.length - width - GAP.length
  const [first = '', ...others] = wrapText(toOneLine(value), room)
  const lead = `${INDENT}${paint(name.padEnd(width))}${GAP}`
  return [`${lead}${first}\n`, ...others.map(line => `${' '.repeat(columns - room)}${line}\n`)]
}
