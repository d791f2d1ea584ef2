import { runFolder } from '../../support/run-folder.ts'

await runFolder(import.meta.filename)
