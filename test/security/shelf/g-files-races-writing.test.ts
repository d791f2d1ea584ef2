// What the file tools write while somebody swaps what a path names.
import t from 'tap'
import { fileSwap, raceAll, remadeSwap } from '../../support/security/file-races.ts'
import { fileModules } from '../../support/tools/file-tools.ts'

async function writing(path: string) {
  const { writeFile } = await fileModules()
  return async () => {
    await writeFile(path, { bytes: Buffer.from('ours'), isOverwriting: true })
    return 'done'
  }
}

raceAll(t, {
  'writing a file while its folder is swapped with a link': [remadeSwap, writing, 'inner/secret.csv'],
  'writing a file while it is swapped with a link': [fileSwap, writing, 'data.csv'],
})
