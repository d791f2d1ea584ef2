// What the file tools open and list while somebody swaps what a path names.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { fileSwap, folderSwap, raceAll, racedFolder } from '../../support/security/file-races.ts'
import { race } from '../../support/tools/file-swaps.ts'
import { fileModules } from '../../support/tools/file-tools.ts'
import { openBelow } from '../../support/tools/shipped.ts'

async function reading(path: string) {
  const { openFile } = await fileModules()
  return async () => {
    const { handle } = await openFile(path)
    const text = await handle.readFile('utf8').finally(() => handle.close())
    return text === 'a\n1\n' ? 'done' : text
  }
}

raceAll(t, {
  'reading a file while its folder is swapped with a link': [folderSwap, reading, 'inner/secret.csv'],
  'reading a file while it is swapped with a link': [fileSwap, reading, 'data.csv'],
})

t.test('G2: a folder that is swapped while it is listed never shows what is outside', { timeout: 240_000 }, async t => {
  const base = racedFolder(t)
  writeFileSync(join(base, 'root-evil/outside.csv'), '')
  const { listFolder } = await fileModules()
  const { signal } = new AbortController()

  const attempt = async () => {
    const { entries } = await listFolder('', { isRecursive: true, signal })
    const paths = entries.map(entry => entry.path)
    if (paths.some(path => path.includes('outside'))) return 'escaped'
    return paths.includes('inner/secret.csv') ? 'entered' : 'left out'
  }
  const isOne = (outcomes: Readonly<Record<string, number>>) => 'entered' in outcomes && 'left out' in outcomes
  const { seen, swaps } = await race(folderSwap(base), 1500, { attempt, isOne })

  t.strictSame(Object.keys(seen).sort(), ['entered', 'left out'], `${swaps} swaps: ${JSON.stringify(seen)}`)
  t.strictSame(openBelow(base), [])
})
