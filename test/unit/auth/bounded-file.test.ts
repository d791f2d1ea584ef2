// Files of secrets and API keys are read up to a bound, whatever their size says.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readBoundedFile } from '../../../src/auth/bounded-file.ts'
import { tempFolder } from '../../support/tools-folder.ts'

t.test('a file is read whole up to the bound, and one byte of more is', async t => {
  const file = join(tempFolder(t).path, 'file')
  const text = 'x'.repeat(200_000)
  writeFileSync(file, text)

  t.equal(readBoundedFile(file, text.length)?.bytes.toString(), text)
  t.equal(readBoundedFile(file, text.length - 1)?.bytes.length, text.length)
  t.equal(readBoundedFile(file, 10)?.bytes.length, 11)
})

t.test(
  'a file of the kernel, whose size is 0, is read, too',
  {
    skip: process.platform !== 'linux' && 'only Linux has /proc',
  },
  async t => {
    t.match(readBoundedFile('/proc/self/status', 64 * 1024)?.bytes.toString(), /^Pid:\t/m)
  },
)

t.test('a byte order mark is skipped, and counts for nothing', async t => {
  const file = join(tempFolder(t).path, 'file')
  writeFileSync(file, `\ufeff${'x'.repeat(200)}`)

  t.equal(readBoundedFile(file, 200)?.bytes.toString(), 'x'.repeat(200))
  t.equal(readBoundedFile(file, 199)?.bytes.length, 200)
  t.equal(readBoundedFile(file, 100)?.bytes.length, 101)
  writeFileSync(file, '\ufeff')
  t.equal(readBoundedFile(file, 200)?.bytes.length, 0)
})

t.test('a folder is no file', async t => {
  const folder = join(tempFolder(t).path, 'folder')
  mkdirSync(folder)

  t.equal(readBoundedFile(folder, 10), undefined)
})
