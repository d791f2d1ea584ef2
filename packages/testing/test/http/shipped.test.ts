// The tools that ship, tested as their author would.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tempFolder } from '../../../../test/support/tools-folder.ts'
import { testTools } from '../../src/index.ts'

t.test('delete_file deletes what its user has confirmed, and nothing else', async t => {
  const { path } = tempFolder(t)
  const before = process.env['FILES_DIR']
  process.env['FILES_DIR'] = path
  t.teardown(() => {
    if (before === undefined) delete process.env['FILES_DIR']
    else process.env['FILES_DIR'] = before
  })
  const tools = await testTools('tools', { caller: { subject: 'ann', scopes: ['files:write'] } })
  t.teardown(() => tools.close())
  const file = join(path, 'todo.txt')
  writeFileSync(file, 'buy milk')

  const refused = await tools.call('delete_file', { path: 'todo.txt' }, { answers: () => 'decline' })
  t.match(refused, { structuredContent: { deleted: false, reason: 'declined' } })
  t.equal(existsSync(file), true)

  const done = await tools.call('delete_file', { path: 'todo.txt' }, { answers: () => ({ confirm: true }) })
  t.match(done, { structuredContent: { deleted: true } })
  t.match(done.questions, [{ message: /^Delete "todo\.txt" \(8 bytes/ }])
  t.equal(existsSync(file), false)

  await t.rejects(tools.call('delete_file', { path: 'todo.txt' }, { caller: { subject: 'bob' } }), {
    message: /needs files:write\. The caller has no scope$/,
  })
})

t.test('analyze_csv runs as a task', async t => {
  const tools = await testTools('tools', { settings: { tasks: { inlineMs: 0 } } })
  t.teardown(() => tools.close())
  const csv = `a,b\n${'1,2\n'.repeat(200_000)}`

  const { structuredContent, task } = await tools.call('analyze_csv', { csv })

  t.equal(structuredContent.rows, 200_000)
  t.match(task?.statuses.at(-1), { status: 'completed' })
})
