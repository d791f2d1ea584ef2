// The index of the tests, test/INDEX.md: each title, below the file that has it.
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'

export const PAGE = 'test/INDEX.md'

/** The suites of stores are tests, too; these two tests have made-up titles. */
const FILES = '{test,packages/*/test,packages/state/src/suites}/**/*.ts'
const EXCLUDED = ['**/node_modules/**', 'test/docs/security-catalogue.test.ts', 'test/docs/test-index.test.ts']

const QUOTED = ["'((?:[^'\\\\\n]|\\\\.)*)'", '"((?:[^"\\\\\n]|\\\\.)*)"', '`((?:[^`\\\\]|\\\\.)*)`'].join('|')
/** Matches `t.test('…'`, `t.test(name,`, and a member of a contract: `'…'(t` or `'…': async (t`. */
const TITLE = new RegExp(
  String.raw`^.*?\bt\.test\(\s*(?:${QUOTED}|([\w.]+),)|^ {2}(?:async )?'([^'\n]+)'(?:: async )?\(t\b`,
  'gm',
)
/** Matches the title of a row, if each row of the file's table is a test. */
const TABLE = /readonly (?:Row|Mistake)\[\] = /
const ROW = /^ +(?:\{ )?(?:name|mistake): (?:'([^'\n]+)'|"([^"\n]+)"),/gm

const HEADER = `<!-- npm run docs writes this page. -->

# Where a behaviour is tested

Each title stands below its file. A \`\${…}\` in a title is filled in from a table of that file.
`

/** Reads the titles of a source, each once, as they are written. */
export function readTitles(source: string): string[] {
  const matches = [...source.matchAll(TITLE), ...(TABLE.test(source) ? source.matchAll(ROW) : [])]
  const titles = matches.map(([, single, double, template, name, member]) => {
    const written = single ?? double ?? template ?? member ?? `\${${name}}`
    return written.replaceAll(/\\(['"`])/g, '$1')
  })
  return [...new Set(titles.map(shorten))]
}

/** A placeholder that computes, such as `${JSON.stringify(tool)}`, says nothing to a reader. */
const shorten = (title: string) => title.replaceAll(/\$\{(?![\w.]+\})[^}]*\}/g, `\${…}`)

export function testIndex(): string {
  const folders = new Map<string, string[]>()
  for (const path of globSync(FILES, { exclude: EXCLUDED }).sort()) {
    const titles = readTitles(readFileSync(path, 'utf8'))
    if (titles.length === 0) continue
    const name = basename(path).replace(/(?:\.test)?\.ts$/, '')
    const heading = `### [${name}](${relative(dirname(PAGE), path)})`
    const section = [heading, '', ...titles.map(title => `    ${title}`), ''].join('\n')
    folders.set(dirname(path), [...(folders.get(dirname(path)) ?? []), section])
  }
  const sections = [...folders].map(([folder, files]) => `## ${folder}\n\n${files.join('\n')}`)
  return [HEADER, ...sections].join('\n')
}
