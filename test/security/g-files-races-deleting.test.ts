// Section G of the catalogue: what the file tools delete while somebody swaps what a path names.
import t from 'tap'
import { fileModules } from '../tools/file-tools.ts'
import { fileSwap, raceAll, refilledSwap } from './file-races.ts'

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
