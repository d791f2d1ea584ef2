// `toolrack check`: loads a folder of tools as the server would, and reports its faults.
import { ENV_FILE_OPTION } from './env-file-option.ts'
import { EXIT, UsageError } from './errors.ts'
import { exit } from './process.ts'
import { formatExamples, type Register } from './root-command.ts'

/** The path of the contract in docs/guides/testing.md. */
const CONTRACT_FILE = 'tools.contract.json'

interface Options {
  readonly strict?: true
  readonly contract?: string | true
  readonly update?: true
  readonly json?: true
  readonly envFile?: string
}

export const registerCheck: Register = (program, io) => {
  program
    .command('check')
    .summary('loads every tool, and says which have faults')
    .description(
      'Loads every tool as the server would, without listening. Prints FILE:LINE:COLUMN and the fault ' +
        'of each that does not load, with exit code 1, and likely mistakes as warnings.',
    )
    .argument('[folder...]', 'where the tools are, in one or more folders (default: TOOLS_DIR, or ./tools)')
    .option('--strict', 'warnings are faults, too')
    .option('--contract [file]', `compares with what callers rely on (default: ${CONTRACT_FILE})`)
    .option('--update', 'with --contract: writes the file')
    .option('--json', 'prints the findings as JSON')
    .option(...ENV_FILE_OPTION)
    .addHelpText(
      'after',
      formatExamples('toolrack check', 'toolrack check ./my-tools --strict', 'toolrack check --contract --update'),
    )
    .action(async (folders: string[], { contract, update, strict, json, envFile }: Options) => {
      if (update && contract === undefined)
        throw new UsageError('--update: expected --contract beside it, which names the file to write')
      const { describeEnvFile, loadEnvFile } = await import('./env-file.ts')
      const read = loadEnvFile(envFile)
      const said = read && describeEnvFile(read)
      if (said) io.note(said)
      const { checkFolders } = await import('./check-folder.ts')
      const file = contract === true ? CONTRACT_FILE : contract
      const findings = await checkFolders(
        folders,
        file === undefined ? undefined : { file, isUpdated: update === true },
      )
      const { countFaults, printFindings } = await import('./check-report.ts')
      if (json) io.printJson(findings)
      else printFindings(findings, io)
      const faults = countFaults(findings, { isStrict: strict === true })
      await exit(io, faults === 0 ? EXIT.ok : EXIT.failed)
    })
}
