// write_file: whose a file is and what its mode says, before and after.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { callTool } from '../../../support/app.ts'
import { fileModules } from '../../../support/tools/file-tools.ts'
import { filesFolder, serve, setting } from '../../../support/tools/shipped.ts'

t.test('write_file: what is overwritten keeps its mode, without what would lend rights', async t => {
  const base = filesFolder(t)
  const file = join(base, 'root/data.csv')
  const app = await serve(t, 'write_file')

  for (const [mode, kept] of [
    [0o640, 0o640],
    [0o4755, 0o755],
  ] as const) {
    chmodSync(file, mode)
    await callTool(app, 'write_file', { path: 'data.csv', content: 'new', overwrite: true })
    t.equal(statSync(file).mode & 0o7777, kept)
  }
})

t.test(
  'write_file: a file that the server may not write is not replaced, though its folder would allow it',
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'toolrack-files-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    chmodSync(folder, 0o777)
    writeFileSync(join(folder, 'kept'), 'kept', { mode: 0o444 })
    setting(t, 'FILES_DIR', folder)
    const { writeFile } = await fileModules()

    await asNobody(async () => {
      const writing = writeFile('kept', { bytes: Buffer.from('new'), isOverwriting: true })
      await t.rejects(writing, { name: 'ToolError', message: /^This server may not change "kept"/ })
    })

    t.equal(readFileSync(join(folder, 'kept'), 'utf8'), 'kept')
    t.strictSame(readdirSync(folder), ['kept'])
  },
)

// Root may write whatever its mode is.
async function asNobody(work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}
