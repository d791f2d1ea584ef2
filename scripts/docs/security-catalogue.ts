// Finds the tests of each row of the security catalogue, by the row's number in their titles.
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'

export const PAGE = 'test/security/README.md'
/** This test has made-up titles, so it is excluded. */
const ITS_TEST = 'test/docs/security-catalogue.test.ts'

const NUMBERS = String.raw`[A-HOP]\d{1,2}(?:(?:, | to )[A-HOP]\d{1,2})*`
/** Matches a title such as `'A12, A13: an id that is none is refused'`, in any quotes. */
const TITLE = new RegExp(`['"\`](${NUMBERS}): `, 'g')
/** Matches a row such as `['D10', 'a BigInt', …]`, if the file makes titles of table rows. */
const TABLE_ROW = new RegExp(`\\[\\s*'(${NUMBERS})',`, 'g')
const ROW_TITLE = /`\$\{row\}: /

const ROW = /^\| ([A-HOP]\d{1,2}) \| (.+) \| (.+) \| (.*)\|$/gm

/** Reads every row of the page: its number, and its last cell unchanged. */
export function readRows(page: string): { number: string; tests: string }[] {
  return [...page.matchAll(ROW)].map(([, number = '', , , tests = '']) => ({ number, tests: tests.trim() }))
}

/** Finds, for each number, the files whose titles have it, in order. */
export function findTests(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const path of globSync('{test,packages/*/test}/**/*.ts', { exclude: ['**/node_modules/**', ITS_TEST] }).sort()) {
    for (const number of new Set(readNumbers(readFileSync(path, 'utf8')))) {
      found.set(number, [...(found.get(number) ?? []), path])
    }
  }
  return found
}

/** Reads the numbers in the titles of a file; `B3 to B5` counts as three. */
export function readNumbers(source: string): string[] {
  const titles = [...source.matchAll(TITLE)]
  if (ROW_TITLE.test(source)) titles.push(...source.matchAll(TABLE_ROW))
  return titles.flatMap(([, numbers = '']) => numbers.split(', ').flatMap(toSingleNumbers))
}

function toSingleNumbers(range: string): string[] {
  const [first = '', last = first] = range.split(' to ')
  const [from, to] = [Number(first.slice(1)), Number(last.slice(1))]
  return Array.from({ length: to - from + 1 }, (_, index) => `${first[0]}${from + index}`)
}

/** Fills the last cell of each row with its tests. A row without a test keeps its text. */
export function withTests(page: string, found: ReadonlyMap<string, readonly string[]>): string {
  return page.replace(ROW, (row, number: string, attack: string, answer: string) => {
    const paths = found.get(number)
    if (paths === undefined) return row
    const links = paths.map(
      path => `[${basename(path).replace(/(?:\.test)?\.ts$/, '')}](${relative(dirname(PAGE), path)})`,
    )
    return `| ${number} | ${attack} | ${answer} | ${links.join(', ')} |`
  })
}
