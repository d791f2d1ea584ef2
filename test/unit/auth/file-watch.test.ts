// A file is looked at again and again, however it is replaced.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FileWatch } from '../../../src/auth/file-watch.ts'
import { until } from '../../support/eventually.ts'
import { tempFolder } from '../../support/tools-folder.ts'

function watched(t: Test) {
  const { path } = tempFolder(t, { secret: 'first' })
  const file = join(path, 'secret')
  const seen = { changes: 0, same: 0 }
  const watch = new FileWatch({ file, onChange: () => seen.changes++, onSame: () => seen.same++, checkMs: 5 })
  t.teardown(() => watch.close())
  return { file, seen, watch }
}

t.test('a change between its creation and its start is noticed, once', async t => {
  const { file, seen, watch } = watched(t)
  writeFileSync(file, 'next')

  watch.start()

  await until(() => seen.same >= 3, 'it has looked again')
  t.equal(seen.changes, 1)
})

t.test('a file that is written, replaced, removed and made again', async t => {
  const { file, seen, watch } = watched(t)
  watch.start()
  const steps = {
    written: () => writeFileSync(file, 'longer than before'),
    replaced: () => {
      writeFileSync(`${file}.new`, 'longer than before')
      renameSync(`${file}.new`, file)
    },
    removed: () => rmSync(file),
    'made again': () => writeFileSync(file, 'longer than before'),
  }
  for (const [how, step] of Object.entries(steps)) {
    const before = seen.changes
    step()
    await until(() => seen.changes > before, how)
  }
})

t.test('nothing is looked at after its end', async t => {
  const { file, seen, watch } = watched(t)
  watch.start()
  await until(() => seen.same > 0, 'it looks')

  watch.close()
  writeFileSync(file, 'next')
  const { changes } = seen

  const other = new FileWatch({ file, onChange() {}, onSame: () => seen.same++, checkMs: 5 })
  t.teardown(() => other.close())
  other.start()
  const { same } = seen
  await until(() => seen.same >= same + 5, 'another one has looked')
  t.equal(seen.changes, changes)
})
