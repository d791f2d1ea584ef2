// Each guide is listed, and has a test that works through it; its commands do not scroll.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import t from 'tap'

const guides = globSync('docs/guides/*.md').filter(path => basename(path) !== 'README.md')
const read = (path: string) => readFileSync(path, 'utf8')

t.test('each guide is in the list, and has a test that reads it and sees which blocks were run', async t => {
  t.ok(guides.length > 0)
  for (const path of guides) {
    t.match(read('docs/guides/README.md'), `](${basename(path)})`)
    const test = `test/processes/guides/${basename(path, '.md')}.test.ts`
    t.ok(existsSync(test), test)
    t.match(read(test), path)
    t.match(read(test), 'page.left()')
  }
})

t.test('no command of a guide is longer than 100 characters', async t => {
  const commands = guides.flatMap(path =>
    [...read(path).matchAll(/^```sh\n([\s\S]*?)```/gm)].flatMap(([, code]) => code!.split('\n')),
  )

  t.strictSame(
    commands.filter(line => line.length > 100),
    [],
  )
})
