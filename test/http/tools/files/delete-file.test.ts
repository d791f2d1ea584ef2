import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type App, call, callTool } from '../../../support/app.ts'
import { open } from '../../../support/client/app-client.ts'
import { ABLE, answerTo, callDelete, fileModules, YES } from '../../../support/tools/file-tools.ts'
import { errorOf, filesFolder, openBelow, serve } from '../../../support/tools/shipped.ts'

const params = (path: string) => ({ name: 'delete_file', arguments: { path } })

t.test('delete_file: asks first, naming the file, and deletes it when the user has confirmed', async t => {
  const base = filesFolder(t)
  const app = await serve(t, 'delete_file')

  const asked = await call(app, 'tools/call', params('sales/2026.csv'), ABLE)
  const isThere = existsSync(join(base, 'root/sales/2026.csv'))
  const { result } = await answerTo(app, asked, { path: 'sales/2026.csv', answer: YES })

  const [question] = Object.values(asked.result.inputRequests) as { params: { message: string } }[]
  t.match(question!.params.message, /^Delete "sales\/2026\.csv" \(4 bytes, modified 20.*Z\)\? It cannot be undone\.$/)
  t.ok(isThere)
  t.strictSame(result.structuredContent, { path: 'sales/2026.csv', deleted: true })
  t.strictSame(readdirSync(join(base, 'root/sales')), [])
  t.strictSame(openBelow(base), [])
})

for (const [what, answer] of [
  ['declines', { action: 'decline' }],
  ['cancels', { action: 'cancel' }],
  ['says no', { action: 'accept', content: { confirm: false } }],
] as const) {
  t.test(`delete_file: a user who ${what} keeps the file`, async t => {
    const base = filesFolder(t)

    const { result } = await callDelete(await serve(t, 'delete_file'), 'data.csv', answer)

    t.strictSame(result.structuredContent, { path: 'data.csv', deleted: false, reason: 'declined' })
    t.ok(existsSync(join(base, 'root/data.csv')))
  })
}

t.test('delete_file: a client that cannot ask gets the error of the protocol, and nothing is deleted', async t => {
  const base = filesFolder(t)

  const { error } = await call(await serve(t, 'delete_file'), 'tools/call', params('data.csv'))

  t.match(error, { code: -32021 })
  t.ok(existsSync(join(base, 'root/data.csv')))
})

t.test('delete_file: what is not there is not asked about, and deleting it again does nothing', async t => {
  filesFolder(t)
  const app = await serve(t, 'delete_file')

  await callDelete(app, 'data.csv', YES)

  for (const path of ['data.csv', 'nope/x']) {
    const result = await callTool(app, 'delete_file', { path })
    t.strictSame(result.structuredContent, { path, deleted: false, reason: 'not_found' })
  }
})

t.test('delete_file: a file that has changed since it was asked about is asked about again', async t => {
  const base = filesFolder(t)
  const app = await serve(t, 'delete_file')

  const asked = await call(app, 'tools/call', params('data.csv'), ABLE)
  writeFileSync(join(base, 'root/new'), 'precious')
  renameSync(join(base, 'root/new'), join(base, 'root/data.csv'))
  const again = await answerTo(app, asked, { path: 'data.csv', answer: YES })
  const isKept = existsSync(join(base, 'root/data.csv'))
  const { result } = await answerTo(app, again, { path: 'data.csv', answer: YES })

  t.equal(again.result.resultType, 'input_required')
  t.match(JSON.stringify(again.result.inputRequests), /8 bytes/)
  t.ok(isKept)
  t.equal(result.structuredContent.deleted, true)
})

t.test(
  'delete_file: a file that is replaced by a link after the answer stays, and so does what it leads to',
  async t => {
    const base = filesFolder(t)
    const app = await serve(t, 'delete_file')

    const asked = await call(app, 'tools/call', params('data.csv'), ABLE)
    symlinkSync('../secret.csv', join(base, 'root/link'))
    renameSync(join(base, 'root/link'), join(base, 'root/data.csv'))
    const { result } = await answerTo(app, asked, { path: 'data.csv', answer: YES })

    t.match(errorOf(result), /is refused/)
    t.equal(readFileSync(join(base, 'root/data.csv'), 'utf8'), 'secret\n1\n')
  },
)

t.test('delete_file: no other file that has taken the name is removed', async t => {
  const base = filesFolder(t)
  const { findFile, removeFile } = await fileModules()
  const found = (await findFile('data.csv'))!

  writeFileSync(join(base, 'root/new'), 'precious')
  renameSync(join(base, 'root/new'), join(base, 'root/data.csv'))

  await t.rejects(removeFile('data.csv', found), /"data\.csv" was replaced by another file meanwhile/)
  t.equal(readFileSync(join(base, 'root/data.csv'), 'utf8'), 'precious')
  t.strictSame(readdirSync(join(base, 'root')).sort(), ['data.csv', 'sales'])
})

t.test('delete_file: a folder is refused', async t => {
  filesFolder(t)

  const result = await callTool(await serve(t, 'delete_file'), 'delete_file', { path: 'sales' }, ABLE)

  t.match(errorOf(result), /"sales" is not a regular file/)
})

/** A file as list_files shows it. */
async function shown(app: App, path: string) {
  const { structuredContent } = await callTool(app, 'list_files')
  const { size, modified } = structuredContent.entries.find((entry: { path: string }) => entry.path === path)
  return { size, modified }
}

t.test('delete_file: a client that cannot ask brings the very file that its user has agreed to lose', async t => {
  const base = filesFolder(t)
  const app = await serve(t, 'delete_file', 'list_files')
  const client = await open(t, app, { capabilities: {} })
  const confirmed = await shown(app, 'data.csv')
  const path = join(base, 'root/data.csv')

  const refused = await client.callTool('delete_file', { path: 'data.csv' })
  const isThere = existsSync(path)
  const larger = await client.callTool('delete_file', {
    path: 'data.csv',
    confirmed: { ...confirmed, size: confirmed.size + 1 },
  })
  const older = await client.callTool('delete_file', {
    path: 'data.csv',
    confirmed: { ...confirmed, modified: '2020-01-01T00:00:00.000Z' },
  })
  const isStillThere = existsSync(path)
  const done = await client.callTool('delete_file', { path: 'data.csv', confirmed })

  t.match(
    errorOf(refused.result),
    /capability: elicitation\.form\. .* The question is "Delete .*data\.csv.*Ask the user/,
  )
  t.ok(isThere)
  for (const { result } of [larger, older])
    t.match(errorOf(result), /is not the file that was confirmed: it has \d+ bytes/)
  t.ok(isStillThere)
  t.strictSame(done.result.structuredContent, { path: 'data.csv', deleted: true })
  t.notOk(existsSync(path))
})

t.test('delete_file: in 2026-07-28 that is the way of such a client, too', async t => {
  const base = filesFolder(t)
  const app = await serve(t, 'delete_file', 'list_files')
  const confirmed = await shown(app, 'data.csv')

  const result = await callTool(app, 'delete_file', { path: 'data.csv', confirmed })

  t.strictSame(result.structuredContent, { path: 'data.csv', deleted: true })
  t.notOk(existsSync(join(base, 'root/data.csv')))
})

t.test('delete_file: a client that can ask asks, whatever its model says', async t => {
  const base = filesFolder(t)
  const app = await serve(t, 'delete_file', 'list_files')
  const args = { path: 'data.csv', confirmed: await shown(app, 'data.csv') }

  const asked = await call(app, 'tools/call', { name: 'delete_file', arguments: args }, ABLE)

  t.equal(asked.result.resultType, 'input_required')
  t.ok(existsSync(join(base, 'root/data.csv')))
})
