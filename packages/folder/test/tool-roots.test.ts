// The names of tools folders in logs: each names one folder, and tells nothing of the machine that
// it need not.
import { basename, join } from 'node:path'
import t from 'tap'
import { resolveToolrack } from '../src/modules.ts'
import { createToolRoots, fileName, findFilePath } from '../src/tool-roots.ts'

const here = process.cwd()

for (const [what, folders, names] of [
  ['one in the working directory is named from there', [join(here, 'some/tools')], ['some/tools']],
  ['the working directory itself', [here], ['.']],
  ['one elsewhere by its own name', ['/none/a/tools'], ['tools']],
  ['those of the same name by what tells them apart', ['/none/a/x', '/none/b/x'], ['a/x', 'b/x']],
  ['also if that is further up', ['/none/a/y/x', '/none/b/y/x'], ['a/y/x', 'b/y/x']],
  [
    'one here and one elsewhere',
    [join(here, 'own'), `/none/not-${basename(here)}/own`],
    ['own', `not-${basename(here)}/own`],
  ],
  ['only the one that needs it', ['/none/a/x', '/none/b/x', '/none/c/z'], ['a/x', 'b/x', 'z']],
] as const) {
  t.test(`tools folders: ${what}`, async t => {
    const roots = createToolRoots(folders)
    resolveToolrack(roots)

    t.strictSame(
      roots.map(({ name }) => name),
      names,
    )
    for (const { path } of roots) {
      const file = join(path, 'a.ts')
      t.equal(findFilePath(fileName(file), roots) ?? join(here, fileName(file)), file)
    }
  })
}
