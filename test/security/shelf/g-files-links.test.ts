// Links, devices and pipes in FILES_DIR lead no file tool anywhere.
import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { call } from '../../support/app.ts'
import { assertUntouched, BY_PATH, faultOf, fileModules, serveFiles } from '../../support/tools/file-tools.ts'
import { errorOf, filesFolder } from '../../support/tools/shipped.ts'

const LINKS: Record<string, (base: string) => string> = {
  'a link to a file outside': base => {
    symlinkSync(join(base, 'secret.csv'), join(base, 'root/x'))
    return 'x'
  },
  'a link to a file inside': base => {
    symlinkSync('data.csv', join(base, 'root/x'))
    return 'x'
  },
  'a link to nothing': base => {
    symlinkSync('../new.csv', join(base, 'root/x'))
    return 'x'
  },
  'a link to a folder outside': base => {
    symlinkSync('../root-evil', join(base, 'root/x'))
    return 'x/secret.csv'
  },
  'a chain of links': base => {
    symlinkSync('../../secret.csv', join(base, 'root/sales/b.csv'))
    symlinkSync('sales/b.csv', join(base, 'root/x'))
    return 'x'
  },
  'a link to the root of the process': base => {
    symlinkSync('/proc/self/root', join(base, 'root/x'))
    return 'x/etc/passwd'
  },
  'a link to the working directory of the process': base => {
    symlinkSync('/proc/self/cwd', join(base, 'root/x'))
    return 'x/package.json'
  },
  'a hard link to a file outside': base => {
    linkSync(join(base, 'secret.csv'), join(base, 'root/x'))
    return 'x'
  },
  'a link to a device': base => {
    symlinkSync('/dev/zero', join(base, 'root/x'))
    return 'x'
  },
  'a FIFO that nobody writes to': base => {
    execFileSync('mkfifo', [join(base, 'root/x')])
    return 'x'
  },
}

for (const [what, make] of Object.entries(LINKS)) {
  t.test(
    `G2: ${what} is refused at once by every tool and the resource, and not listed`,
    { timeout: 90_000 },
    async t => {
      const base = filesFolder(t)
      const path = make(base)
      const app = await serveFiles(t)

      for (const [name, use] of Object.entries(BY_PATH)) {
        t.match(errorOf(await use(app, path)), /is refused|is not a regular file|no readable folder/, name)
      }
      t.match(await faultOf(app, `files:///${path}`), /is refused|is not a regular file/)
      const listed = await call(app, 'tools/call', { name: 'list_files', arguments: { recursive: true } })
      t.strictSame(
        listed.result.structuredContent.entries.map((entry: { path: string }) => entry.path),
        ['data.csv', 'sales', 'sales/2026.csv'],
      )
      t.notOk(existsSync(join(base, 'new.csv')))
      await assertUntouched(t, base)
    },
  )
}

t.test('G2: a socket and a device of its own are refused', { timeout: 90_000 }, async t => {
  const base = filesFolder(t)
  const app = await serveFiles(t)
  const home = process.cwd()
  process.chdir(join(base, 'root'))
  const server = createServer().listen('socket')
  process.chdir(home)
  t.teardown(() => server.close())
  const paths = ['socket']
  try {
    execFileSync('mknod', [join(base, 'root/zero'), 'c', '1', '5'], { stdio: 'ignore' })
    paths.push('zero')
  } catch {
    t.comment('SKIPPED for a device: only root may make one')
  }

  for (const path of paths) {
    for (const [name, use] of Object.entries(BY_PATH)) {
      t.match(errorOf(await use(app, path)), /is not a regular file|no readable folder/, `${name} ${path}`)
    }
  }
  await assertUntouched(t, base)
})

t.test('G2: where there is no /proc, links are refused as well', async t => {
  const base = filesFolder(t)
  symlinkSync('../root-evil', join(base, 'root/folder'))
  symlinkSync('../secret.csv', join(base, 'root/file'))
  const { openFile, writeFile, findFile, removeFile } = await fileModules()
  const way = { isByDescriptor: false }

  for (const path of ['folder/secret.csv', 'file']) {
    await t.rejects(openFile(path, way), /is refused/)
    await t.rejects(writeFile(path, { bytes: Buffer.from('x'), isOverwriting: true }, way), /is refused/)
    await t.rejects(findFile(path, way), /is refused/)
  }
  t.equal(await writeFile('a/b.txt', { bytes: Buffer.from('x'), isOverwriting: false }, way), true)
  const { handle, stats } = await openFile('a/b.txt', way)
  await handle.close()
  await removeFile('a/b.txt', (await findFile('a/b.txt', way))!, way)

  t.equal(stats.size, 1)
  t.notOk(existsSync(join(base, 'root/a/b.txt')))
  writeFileSync(join(base, 'root/a/b.txt'), '')
  await assertUntouched(t, base)
})
