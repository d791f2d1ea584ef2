// The pages hang together: links lead somewhere, paths exist, and decisions are numbered and listed.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import t from 'tap'

/** What the package has. */
const pages = ['README.md', 'CHANGELOG.md', 'SECURITY.md', ...globSync('docs/**/*.md')].sort()
/** What else a host of repositories looks for. */
const others = ['CONTRIBUTING.md', 'CODE_OF_CONDUCT.md']
const read = (path: string) => readFileSync(path, 'utf8')
const withoutBlocks = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '')
const withoutCode = (text: string) => withoutBlocks(text).replace(/`[^`\n]*`(?!\])/g, '')

/** The anchors of a page, as GitHub makes them from headings. */
function readAnchors(path: string): string[] {
  return [...withoutBlocks(read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

t.test('every link within the documentation leads to a page, and to a heading of it', async t => {
  for (const page of [...pages, ...others]) {
    for (const [, target = ''] of withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : normalize(join(dirname(page), path))
      const isThere = existsSync(file) && (anchor === undefined || readAnchors(file).includes(anchor))
      t.ok(isThere, `${page}: ${target}`)
    }
  }
})

t.test('every link of a page that the package has leads to another one', async t => {
  for (const page of pages) {
    for (const [, target = ''] of withoutCode(read(page)).matchAll(/\]\(([^)\s#]+)/g)) {
      if (/^https?:/.test(target)) continue
      const path = normalize(join(dirname(page), target))
      t.ok(pages.includes(path) || path === 'LICENSE', `${page}: ${target} is not in the package`)
    }
  }
})

t.test('every file and folder of the project that a page names exists', async t => {
  // Decisions say what was so when they were made.
  for (const page of pages.filter(each => !each.startsWith('docs/decisions/'))) {
    for (const [, path = ''] of read(page).matchAll(/`((?:src|plugins|routes|scripts|test|bench|deploy)\/[\w./-]*)`/g))
      t.ok(existsSync(path), `${page}: ${path}`)
  }
})

/** In the order of their numbers; those that were superseded are in the archive. */
const decisions = pages
  .filter(page => /^docs\/decisions\/(?:archive\/)?\d/.test(page))
  .sort((one, other) => (basename(one) < basename(other) ? -1 : 1))
const isArchived = (page: string) => dirname(page).endsWith('/archive')

t.test('decisions are numbered without a gap, and each has a date and a status', async t => {
  for (const [index, page] of decisions.entries()) {
    const number = String(index + 1)
    t.ok(basename(page).startsWith(`${number.padStart(4, '0')}-`), page)
    const [heading, , status] = read(page).split('\n')
    t.ok(heading?.startsWith(`# ${number}. `), page)
    const expected = isArchived(page) ? /Superseded by \[\d+\]\((?:\.\.\/)?\d{4}-[\w-]+\.md\)/ : /Accepted/
    t.match(status, new RegExp(`^Date: \\d{4}-\\d\\d-\\d\\d\\. Status: ${expected.source}\\.$`), page)
  }
})

t.test('the list of decisions has each that holds, and that of the archive each that does not', async t => {
  for (const [list, listed] of [
    ['docs/decisions/README.md', decisions.filter(page => !isArchived(page))],
    ['docs/decisions/archive/README.md', decisions.filter(isArchived)],
  ] as const) {
    const expected = listed.map(page => {
      const [, number, title, date, successor] =
        /^# (\d+)\. (.+)\n\nDate: (\S+)\. Status: (?:Accepted|Superseded by (\[.+\)))/.exec(read(page)) ?? []
      const cells = [`[${number}](${basename(page)})`, title, date, ...(successor === undefined ? [] : [successor])]
      return `| ${cells.join(' | ')} |`
    })

    t.strictSame(read(list).match(/^\| \[.*$/gm) ?? [], expected)
  }
})
