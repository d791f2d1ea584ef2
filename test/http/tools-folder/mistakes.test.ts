// The log says of each mistake in a tool file what to write instead.
import t from 'tap'
import { MISTAKES } from '../../support/tools/mistakes.ts'
import { names, serve } from '../../support/tools-folder.ts'

/** The texts of a line about a file: where it is, and why it is logged. */
interface Line {
  level: number
  file?: string
  reason?: string
}

for (const { mistake, files, says, isServed = false } of MISTAKES) {
  t.test(`a tool file with ${mistake}: the log names it and says the fix`, async t => {
    const [file] = Object.keys(files) as [string]

    const { app } = await serve(t, files)

    const lines: Line[] = app.logs.lines.filter(({ file: named, level }) => named?.endsWith(file) && level >= 40)
    t.equal(lines.length, 1)
    t.ok(lines[0]?.reason?.endsWith(says), String(lines[0]?.reason))
    t.equal((await names(app)).includes('order'), isServed)
  })
}

t.test('the table has what authors get wrong', t => {
  t.ok(MISTAKES.length >= 30)
  t.equal(new Set(MISTAKES.map(({ mistake }) => mistake)).size, MISTAKES.length)
  t.end()
})
