// What the file tools delete while somebody swaps what a path names.
import t from 'tap'
import { fileSwap, raceAll, refilledSwap } from '../../support/security/file-races.ts'
import { fileModules } from '../../support/tools/file-tools.ts'

async function deleting(path: string) {
  const { findFile, removeFile } = await fileModules()
  return async () => {
    const found = await findFile(path)
    if (found === undefined) return 'none'
    await removeFile(path, found)
    return 'done'
  }
}

raceAll(t, {
  'deleting a file while its folder is swapped with a link': [refilledSwap, deleting, 'inner/secret.csv'],
  'deleting a file while it is swapped with a link': [fileSwap, deleting, 'data.csv'],
})
