// Generates docs/reference/exports.md: each export of each published subpath, with the first sentence of its docstring.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { wrapText } from '../../packages/cli/src/wrap.ts'
import { code } from './table.ts'

export const PAGE = 'docs/reference/exports.md'

const KITS = 'packages/toolrack'
const EXAMPLES = 'scripts/docs/export-examples.ts'

/** What the page says of a subpath before its table. */
const SUBPATHS: Readonly<Record<string, string>> = {
  toolrack: 'For tools, and for programs that serve them. [Tools](tools.md) has every field.',
  'toolrack/testing': 'For [tests of tools](../guides/testing.md).',
  'toolrack/source': 'For those who write a [source](kits/source.md).',
  'toolrack/door': 'For those who write a [door](kits/door.md).',
  'toolrack/state': 'For those who write a [state](kits/state.md).',
  'toolrack/redis': 'For [replicas](../guides/replicas.md).',
  'toolrack/sqlite': 'For [one process with a file](../guides/sqlite.md).',
}

export type ExportKind = 'function' | 'class' | 'value' | 'type'

export interface Exported {
  readonly name: string
  readonly kind: ExportKind
  /** The first sentence of its docstring or clause. Empty if there is none. */
  readonly meaning: string
}

/** Packages whose exports are passed on, and have no docstrings here. */
const FOREIGN: Readonly<Record<string, readonly Exported[]>> = {
  '@sinclair/typebox': [
    { name: 'Type', kind: 'value', meaning: 'Makes schemas of TypeBox; its types are exported, too.' },
  ],
}

/** Reads what a published subpath exports, in the order of their kinds and names. */
export async function readExports(subpath: string): Promise<Exported[]> {
  const file = fileOf(subpath)
  if (file === undefined) throw new Error(`${subpath} is not published`)
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(file).href)
  const found = new Map<string, Exported>()
  for (const each of exportsOf(file)) {
    const isFunction = each.kind === 'value' && typeof module[each.name] === 'function'
    // A name may be both a value and a type: the first one counts.
    if (!found.has(each.name)) found.set(each.name, isFunction ? { ...each, kind: 'function' } : each)
  }
  return [...found.values()].sort((one, other) => rankOf(one) - rankOf(other) || (one.name < other.name ? -1 : 1))
}

/** Those of package.json, in the order of the page. */
export function publishedSubpaths(): string[] {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> }
  const published = Object.keys(exports).filter(each => each !== './package.json')
  const names = published.map(each => join('toolrack', each))
  const order = Object.keys(SUBPATHS)
  return names.sort((one, other) => order.indexOf(one) - order.indexOf(other))
}

const RANKS: readonly ExportKind[] = ['function', 'class', 'value', 'type']
const rankOf = ({ kind }: Exported) => RANKS.indexOf(kind)

function fileOf(specifier: string, from = '.'): string | undefined {
  if (specifier.startsWith('.')) return join(from, '..', specifier)
  if (specifier === 'toolrack') return 'src/index.ts'
  const [, library, name] = /^@toolrack\/([^/]+)\/(.+)$/.exec(specifier) ?? []
  if (library !== undefined) return `packages/${library}/src/${name}.ts`
  return specifier.startsWith('toolrack/') ? join(KITS, `${specifier.slice('toolrack/'.length)}.ts`) : undefined
}

const LIST = /^export (type )?\{([^}]*)\}(?: from '([^']+)')?/gm
const ALL = /^export (?:type )?\* from '([^']+)'/gm

function exportsOf(file: string): Exported[] {
  const text = readFileSync(file, 'utf8')
  const listed = [...text.matchAll(LIST)].flatMap(([, isType, names = '', from]) =>
    names
      .split(',')
      .map(each => each.trim())
      .filter(each => each !== '')
      .flatMap(each => {
        const [name = '', exportedAs = name] = each.replace(/^type /, '').split(' as ')
        const found = findDeclaration(name, from ?? importOf(name, text), file)
        const kind = isType === undefined && !each.startsWith('type ') ? found.kind : 'type'
        return { ...found, kind, name: exportedAs }
      }),
  )
  const all = [...text.matchAll(ALL)].flatMap(([, from = '']) => {
    const path = fileOf(from, file)
    return path === undefined ? [] : exportsOf(path)
  })
  return [...listed, ...all, ...declarationsIn(text)]
}

/** Where the file has a name from that it imports and exports. */
function importOf(name: string, text: string): string {
  const found = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '([^']+)'/gm)].find(([, names = '']) =>
    names.split(',').some(each => each.trim().replace(/^type /, '') === name),
  )
  if (found === undefined) throw new Error(`${name} is exported, and neither declared nor imported`)
  return found[2]!
}

function findDeclaration(name: string, from: string, file: string): Exported {
  const foreign = FOREIGN[from]?.find(each => each.name === name)
  if (foreign !== undefined) return foreign
  const path = fileOf(from, file)
  const found = path === undefined ? undefined : exportsOf(path).find(each => each.name === name)
  if (found === undefined) throw new Error(`${file}: ${name} of ${from} was not found`)
  return found
}

const DECLARATION =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?(?:^\/\/ [^\n]*\n)?^export (?:async |abstract )?(function|class|interface|type|const)\*? (\w+)/gm

function declarationsIn(text: string): Exported[] {
  return [...text.matchAll(DECLARATION)].map(([, comment = '', keyword = '', name = '']) => ({
    name,
    kind: keyword === 'interface' ? 'type' : keyword === 'const' ? 'value' : (keyword as ExportKind),
    meaning: firstSentence(comment),
  }))
}

/** Its first clause: what follows is detail. */
function firstSentence(comment: string): string {
  const text = comment
    .replace(/^\s*\* ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?:^| )@\w+ .*/, '')
  const [, sentence = text] = /^(.*?)(?:; |[.!](?= [A-Z`@-]|$))/.exec(text) ?? []
  // Behind a colon an example is worth its place, a reason is not.
  const [, clause = sentence] = /^(\S+ \S+ [^:`]*): [^`]*$/.exec(sentence) ?? []
  return clause === '' ? '' : `${clause}.`
}

/** Reads the example of each function: `  name: () => example,` in the object of its subpath. */
export function readExamples(subpath: string): Map<string, string> {
  const [, part = ''] = new RegExp(`^  '?${subpath}'?: \\{\\n([\\s\\S]*?)^  \\},`, 'm').exec(
    readFileSync(EXAMPLES, 'utf8'),
  ) ?? ['', '']
  const lines = part.matchAll(/^ {4}(\w+): (?:async )?\([^)]*\) =>\s+((?:.|\n {6,})*?),$/gm)
  return new Map([...lines].map(([, name = '', example = '']) => [name, example.replace(/\s*\n\s*/g, ' ')]))
}

export async function exportsPage(): Promise<string> {
  const told = new Set<string>()
  const sections: string[] = []
  for (const subpath of publishedSubpaths()) sections.push(await sectionOf(subpath, told))
  return `<!-- Written by \`npm run docs\` from the docstrings, and from ${EXAMPLES}. -->

# Exports

What \`toolrack\` and its subpaths export. Your editor shows the whole docstring of each.

${sections.join('\n\n')}
`
}

/** @param told the exports that have a line already; added to */
async function sectionOf(subpath: string, told: Set<string>): Promise<string> {
  const examples = readExamples(subpath)
  const toList = (exported: readonly Exported[]) =>
    exported.map(each => toItem(each, examples.get(each.name))).join('\n')
  const all = await readExports(subpath)
  const again = all.filter(each => told.has(toKey(each)))
  const fresh = all.filter(each => !told.has(toKey(each)))
  for (const each of fresh) told.add(toKey(each))
  const types = fresh.filter(({ kind }) => kind === 'type')
  return [
    `## ${subpath}`,
    SUBPATHS[subpath],
    toList(fresh.filter(({ kind }) => kind !== 'type')),
    ...(types.length === 0 ? [] : ['Types:', toList(types)]),
    ...(again.length === 0
      ? []
      : [wrapText(`As above: ${again.map(({ name }) => code(name)).join(', ')}.`, WIDTH).join('\n')]),
  ].join('\n\n')
}

/** Two subpaths may have exports of one name, such as `TestOptions`. */
const toKey = ({ name, meaning }: Exported): string => `${name}: ${meaning}`

const WIDTH = 100

function toItem({ name, meaning }: Exported, example: string | undefined): string {
  const shown = example === undefined || example === `${name}()` ? [] : [code(example)]
  const text = [`- ${code(name)}: ${meaning}`, ...shown].join(' ')
  return wrapText(text, WIDTH - 2).join('\n  ')
}
