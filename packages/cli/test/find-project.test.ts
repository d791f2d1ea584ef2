// The name and version of a server, by the nearest package.json.
import { join } from 'node:path'
import t from 'tap'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { findProject } from '../src/find-project.ts'

for (const [what, text, expected] of [
  ['has a name and a version', '{"name":"@shop/tools","version":"2.0.0"}', { name: '@shop/tools', version: '2.0.0' }],
  ['has no version', '{"name":"shop"}', { name: 'shop', version: undefined }],
  ['has a byte order mark', '\ufeff{"name":"shop"}', { name: 'shop', version: undefined }],
  ['has no name', '{"version":"2.0.0"}', undefined],
  ['is no JSON', '{', undefined],
  ['is null', 'null', undefined],
  ['has a name that is too long', JSON.stringify({ name: 'x'.repeat(129) }), undefined],
] as const) {
  t.test(`package.json ${what}`, t => {
    const { path } = tempFolder(t, { 'package.json': text, 'tools/a.ts': '' })

    t.strictSame(findProject(join(path, 'tools')), expected)
    t.strictSame(findProject(join(path, 'tools/missing')), expected)
    t.end()
  })
}

t.test('a package.json without a name, as `{"type":"module"}`, is passed by', async t => {
  const files = { 'package.json': '{"name":"shop","version":"2.0.0"}', 'tools/package.json': '{"type":"module"}' }
  const { path } = tempFolder(t, files)

  t.strictSame(findProject(join(path, 'tools')), { name: 'shop', version: '2.0.0' })
})
