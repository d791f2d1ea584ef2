import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build, callTool } from '../../../support/app.ts'
import { cpuMsOf } from '../../../support/cpu-time.ts'
import { errorOf, filesFolder, openBelow, SHIPPED, serve, setting, toolModule } from '../../../support/tools/shipped.ts'

async function list(t: Test, args: object = {}) {
  return await callTool(await serve(t, 'list_files'), 'list_files', args)
}

interface Listed {
  name: string
  path: string
}

const pathsOf = (result: { structuredContent: { entries: Listed[] } }) =>
  result.structuredContent.entries.map(({ path }) => path)

t.test('list_files: what is in the files folder, with size and time, and nothing below', async t => {
  const base = filesFolder(t)

  const result = await list(t)

  t.match(result.structuredContent, {
    entries: [
      { name: 'data.csv', path: 'data.csv', type: 'file', size: 4, modified: /^20\d\d-\d\d-\d\dT.*Z$/ },
      { name: 'sales', path: 'sales', type: 'folder' },
    ],
    isCut: false,
  })
  t.notHas(result.structuredContent.entries[1], { size: Number })
  t.strictSame(JSON.parse(result.content[0].text), result.structuredContent)
  t.strictSame(openBelow(base), [])
})

t.test('list_files: a dot is the files folder, as it is without a path', async t => {
  filesFolder(t)

  t.strictSame(pathsOf(await list(t, { path: '.' })), ['data.csv', 'sales'])
})

t.test('list_files: a folder, its paths as the other tools take them', async t => {
  filesFolder(t)

  t.strictSame(pathsOf(await list(t, { path: 'sales' })), ['sales/2026.csv'])
})

t.test(
  'list_files: recursive, sorted by code unit, without links, hidden work and names that no tool takes',
  async t => {
    const base = filesFolder(t)
    const root = join(base, 'root')
    mkdirSync(join(root, 'B/empty'), { recursive: true })
    for (const name of ['é', 'a b', '.hidden', 'sales.txt', 'a:b', 'CON', 'x\\y', 'B/\u{1f600}', 'B/\uff5e']) {
      writeFileSync(join(root, name), '')
    }
    writeFileSync(join(root, '.toolrack-0f8fad5b-d9cb-469f-a165-70867728950e.tmp'), '')
    symlinkSync('sales', join(root, 'link'))
    symlinkSync('.', join(root, 'loop'))

    const result = await list(t, { recursive: true })

    const expected = ['.hidden', 'B', 'B/empty', 'B/\u{1f600}', 'B/\uff5e', 'a b', 'data.csv', 'sales', 'sales.txt']
    t.strictSame(pathsOf(result), [...expected, 'sales/2026.csv', 'é'])
  },
)

t.test('list_files: a pattern is for names, in every folder', async t => {
  filesFolder(t)

  t.strictSame(pathsOf(await list(t, { recursive: true, pattern: '*.csv' })), ['data.csv', 'sales/2026.csv'])
  t.strictSame(pathsOf(await list(t, { recursive: true, pattern: '20??.c*' })), ['sales/2026.csv'])
})

t.test('list_files: patterns match as they are written, and in time whatever they are', async t => {
  const { fits } = await toolModule<typeof import('../../../../tools/_files/pattern.ts')>('_files/pattern.ts')

  for (const [name, pattern] of [
    ['abc', '*'],
    ['abc', 'a*c'],
    ['abc', '***'],
    ['a.b.c', '*.c'],
    ['\u{1f600}', '?'],
    ['aXbXc', '*X?'],
  ] as const) {
    t.ok(fits(name, pattern), `${name} ${pattern}`)
  }
  for (const [name, pattern] of [
    ['abc', 'b*'],
    ['abc', '?'],
    ['abc', ''],
    ['a+', 'a.'],
    ['abc', '(a|b)*'],
    ['ABC', 'abc'],
  ] as const) {
    t.notOk(fits(name, pattern), `${name} ${pattern}`)
  }
  t.ok(cpuMsOf(() => t.notOk(fits('a'.repeat(255), `${'*a'.repeat(127)}b`))) < 5000)
})

t.test('list_files: pages of a cursor show each entry once, also where files come and go between them', async t => {
  const base = filesFolder(t)
  for (let index = 0; index < 450; index++) writeFileSync(join(base, `root/f${String(index).padStart(3, '0')}`), '')
  const app = await serve(t, 'list_files')

  const first = await callTool(app, 'list_files', { pattern: 'f*' })
  writeFileSync(join(base, 'root/f0000'), '')
  const second = await callTool(app, 'list_files', { pattern: 'f*', cursor: first.structuredContent.nextCursor })
  const third = await callTool(app, 'list_files', { pattern: 'f*', cursor: second.structuredContent.nextCursor })

  const pages = [first, second, third].map(pathsOf)
  t.strictSame(
    pages.map(page => page.length),
    [200, 200, 50],
  )
  t.equal(new Set(pages.flat()).size, 450)
  t.notHas(third.structuredContent, { nextCursor: String })
})

t.test('list_files: a limit of 2 gives two and a cursor', async t => {
  filesFolder(t)

  const result = await list(t, { recursive: true, limit: 2 })

  t.strictSame(pathsOf(result), ['data.csv', 'sales'])
  t.type(result.structuredContent.nextCursor, 'string')
})

t.test('list_files: more than 10,000 entries are cut, and it says so', { timeout: 180_000 }, async t => {
  const base = filesFolder(t)
  writeFileSync(join(base, 'root/f'), '')
  for (let index = 0; index < 10_000; index++) linkSync(join(base, 'root/f'), join(base, `root/f${index}`))

  const { structuredContent } = await list(t, { limit: 1 })

  t.equal(structuredContent.isCut, true)
  t.equal(structuredContent.entries.length, 1)
})

t.test('list_files: folders below 32 levels are not entered, and it says so', async t => {
  const base = filesFolder(t)
  mkdirSync(join(base, 'root', 'd/'.repeat(40)), { recursive: true })

  const result = await list(t, { recursive: true, pattern: 'd' })

  t.equal(result.structuredContent.isCut, true)
  t.equal(pathsOf(result).length, 32)
  t.strictSame(openBelow(base), [])
})

for (const [what, args, expected] of [
  ['a folder that is not there', { path: 'nope' }, /no readable folder "nope"/],
  ['a file', { path: 'data.csv' }, /no readable folder "data\.csv"/],
  ['a cursor that is none', { cursor: '!' }, /cursor is none that list_files gave/],
  ['a limit of 201', { limit: 201 }, /limit must be <= 200/],
] as const) {
  t.test(`list_files: ${what} is an error that says what to do`, async t => {
    filesFolder(t)

    t.match(errorOf(await list(t, args)), expected)
  })
}

t.test('list_files: a FILES_DIR that is not there is an error without its path', async t => {
  const base = filesFolder(t)
  setting(t, 'FILES_DIR', join(base, 'gone'))

  const error = errorOf(await list(t))

  t.match(error, /The folder that FILES_DIR names cannot be read/)
  t.notMatch(error, 'gone')
})

t.test('the file tools and their resource are not served without FILES_DIR', async t => {
  setting(t, 'FILES_DIR', undefined)
  const app = await build(t, SHIPPED)

  await t.rejects(callTool(app, 'list_files'), /Unknown tool/)
  await t.rejects(callTool(app, 'delete_file', { path: 'a' }), /Unknown tool/)
})
