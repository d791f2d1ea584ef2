import t from 'tap'
import { FILE_TTL_MS } from '../../../src/state/files.ts'
import { toSuite } from '../../../test/support/suite.ts'
import { filesSuite } from '../../state/src/suites/files.ts'
import { MemoryFiles } from '../src/files.ts'

filesSuite(toSuite(t), 'files in memory', () => [new MemoryFiles()])

t.test('files in memory: for an hour', async t => {
  let nowMs = 0
  const files = new MemoryFiles(() => nowMs)
  await files.put('a', 'alice', { owner: 'alice', name: 'a', mimeType: 'a/b', bytes: Buffer.from('a') })

  nowMs = FILE_TTL_MS - 1
  t.ok(await files.find('a'))
  nowMs = FILE_TTL_MS
  t.equal(await files.find('a'), undefined)
})
