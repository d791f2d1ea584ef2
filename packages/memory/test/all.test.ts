import { runFolder } from '../../../test/support/run-folder.ts'

await runFolder(import.meta.filename)
