// Whatever path a client names, no file tool touches anything outside of FILES_DIR.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { assertUntouched, BY_PATH, faultOf, fileModules, serveFiles } from '../../support/tools/file-tools.ts'
import { errorOf, filesFolder } from '../../support/tools/shipped.ts'

const REFUSED = [
  '../secret.csv',
  '../../etc/passwd',
  'sales/../../secret.csv',
  'a/../../b',
  'sales/../data.csv',
  '../root-evil/secret.csv',
  './data.csv',
  '.',
  '..',
  '...',
  '/etc/passwd',
  '//etc/passwd',
  '/root-evil',
  '/',
  'sales//2026.csv',
  'sales/',
  '....//secret.csv',
  '..\\secret.csv',
  '\\',
  '\\\\server\\share',
  'sales\\2026.csv',
  'data.csv\0',
  'data.csv\0.txt',
  'data.csv\n',
  'data.csv\u0085',
  'CON',
  'con.txt',
  'sales/NUL',
  'aux .csv',
  'COM1.csv',
  'lpt¹',
  'CONIN$',
  'data.csv.',
  'data.csv ',
  'sales./2026.csv',
  'data.csv::$DATA',
  'C:secret.csv',
  'C:\\secret.csv',
  'data\u202e.csv',
  'data\u200b.csv',
  '\u{e0041}',
  '.toolrack-0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
  'x'.repeat(256),
  'é'.repeat(128),
  `${'a/'.repeat(32)}a`,
]

// Names like any other, of files that are not there.
const LITERAL = [
  '..%2fsecret.csv',
  '%2e%2e/secret.csv',
  '․․/secret.csv',
  '．．/secret.csv',
  '..∕secret.csv',
  '..／secret.csv',
  '~/x',
  '$HOME',
]

for (const [name, use] of Object.entries(BY_PATH)) {
  // A folder to be listed may be the files folder itself.
  const refused = REFUSED.filter(path => name !== 'list_files' || path !== '.')

  t.test(`G1: ${name} refuses ${refused.length} paths that are none below the files folder`, async t => {
    const base = filesFolder(t)
    const app = await serveFiles(t)

    for (const path of refused)
      t.match(errorOf(await use(app, path)), / is refused\. Use a path relative/, JSON.stringify(path))

    t.strictSame(readdirSync(join(base, 'root')).sort(), ['data.csv', 'sales'])
    await assertUntouched(t, base)
  })

  t.test(`G1: ${name} refuses an absolute path into the files folder, and one of 5,000 characters`, async t => {
    const base = filesFolder(t)
    const app = await serveFiles(t)

    t.match(errorOf(await use(app, join(base, 'root/data.csv'))), / is refused/)
    t.match(errorOf(await use(app, 'a/'.repeat(2500))), /must NOT have more than 1024 characters/)
  })

  t.test(`G1: ${name} takes look-alikes and encodings of dots and slashes for what they are: names`, async t => {
    const base = filesFolder(t)
    const app = await serveFiles(t)

    for (const path of LITERAL) {
      const result = await use(app, path)
      if (name === 'write_file') t.equal(readFileSync(join(base, 'root', path), 'utf8'), 'written')
      else if (name === 'delete_file')
        t.strictSame(result.structuredContent, { path, deleted: false, reason: 'not_found' })
      else t.match(errorOf(result), /There is no readable/)
    }
    await assertUntouched(t, base)
  })
}

t.test('G1: no URI of a file leads out, decoded once and part by part', async t => {
  const base = filesFolder(t)
  const app = await serveFiles(t)
  const uris = [
    '..%2fsecret.csv',
    '%2e%2e/secret.csv',
    '%2e%2e%2fsecret.csv',
    '..%5csecret.csv',
    'sales%2f2026.csv',
    '%00',
    '/etc/passwd',
  ]
  const encoded = REFUSED.filter(path => path.isWellFormed()).map(path =>
    path.split('/').map(encodeURIComponent).join('/'),
  )

  for (const path of [...uris, ...encoded])
    t.match(await faultOf(app, `files:///${path}`), /refused|not found|[Ii]nvalid/i, path)
  t.match(await faultOf(app, 'files:///%252e%252e/secret.csv'), /^Resource not found/)
  t.match(await faultOf(app, 'files:///data.csv?x=1'), /is refused/)
  await assertUntouched(t, base)
})

t.test('G1: whatever the path, it is refused or means a place below the files folder', async t => {
  const { targetOf, targetOfUri, uriOf } = await fileModules()
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', '...', 'a', 'CON', 'nul.txt', '%2e%2e', '..%2f', '\\', '\0', 'a.', 'C:', '～'),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  const plain = (path: string) => {
    try {
      return targetOf(path)
    } catch (error) {
      if ((error as Error).name !== 'ToolError') throw error
      return undefined
    }
  }
  let accepted = 0

  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), parts => {
      const path = parts.join('/')
      const target = plain(path)
      if (target === undefined) return true
      accepted++
      const below = join('/root', path)
      const isSame = targetOfUri(uriOf(path)).path === path && below === `/root/${path}`
      return (
        isSame &&
        below.startsWith('/root/') &&
        [...target.folders, target.name].every(name => !/^\.*$|[/\\\0:]/.test(name))
      )
    }),
    { numRuns: 4000 },
  )

  t.ok(accepted > 100, `${accepted} were accepted`)
})
