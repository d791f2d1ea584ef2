// `toolrack start` and `toolrack dev`: serve a folder of tools. `toolrack` without a command is the
// same as `start`.
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { loadEnvFile } from './env-file.ts'
import { ENV_FILE_OPTION } from './env-file-option.ts'
import { UsageError } from './errors.ts'
import { describeUnknown, formatExamples, type Register } from './root-command.ts'
import { addSettingOptions, createDisplayName, readSettingOptions, SECRET_SETTINGS } from './setting-options.ts'
import { useProxy } from './use-proxy.ts'

type Given = Parameters<typeof readSettingOptions>[0]
type Options = Given['options']

export const registerStart: Register = program => {
  const start = program
    .command('start', { isDefault: true })
    .summary('serves the tools of a folder; the default')
    .description('Serves folders of tools to MCP clients, at http://127.0.0.1:3000/mcp.')
    .option('--stdio', 'serves its parent, on stdin and stdout')
    .action(async (folders: string[], options: Options) => {
      for (const folder of folders) assertNoMeantCommand(program, folder)
      await serve({ options, folders }, { isStdio: options['stdio'] === true })
    })
  addArguments(start, 'toolrack start ./my-tools --port 8080', 'toolrack start --stdio ./tools')

  const dev = program
    .command('dev')
    .summary('the same, with reload and a readable log')
    .description(
      'Serves the tools of a folder, and loads them again when a file changes, whatever NODE_ENV is. ' +
        'The log is readable text with the stacks of errors.',
    )
    .action(async (folders: string[], options: Options) => {
      await serve({ options, folders, defaults: { WATCH_TOOLS: 'true', TOOLS_STRICT: 'false' } }, { isForPeople: true })
    })
  addArguments(dev, 'toolrack dev', 'toolrack dev ./my-tools --port 8080')
}

function addArguments(command: Command, ...examples: readonly string[]): void {
  command.argument('[folder...]', 'where the tools are (default: ./tools)')
  command.option(...ENV_FILE_OPTION)
  addSettingOptions(command)
  command.addHelpText(
    'after',
    ({ command }) =>
      `${command.opts()['all'] ? ABOUT_ALL : aboutCommon(command.name())}\n${formatExamples(...examples)}`,
  )
}

const aboutCommon = (name: string) => `
Each option is a variable of the environment, too: --log-level is LOG_LEVEL.
All options: toolrack ${name} --help --all, or docs/reference/settings.md`

const ABOUT_ALL = `
Each option is a variable of the environment, too: --rate-limit-max is
RATE_LIMIT_MAX. An option wins over its variable. Others can read the arguments
of a process, so secrets are taken from the environment, or from a file
(--jwt-secret-file, or JWT_SECRET_FILE):
  ${SECRET_SETTINGS.join(', ').replace(/(.{50,74}), /g, '$1,\n  ')}`

async function serve(
  given: Given,
  options: { readonly isForPeople?: boolean; readonly isStdio?: boolean } = {},
): Promise<void> {
  if (given.options['all']) throw new UsageError('--all: expected with --help, which then shows every option')
  const envFile = loadEnvFile(given.options['envFile'] as string | undefined)
  await useProxy()
  const read = readSettingOptions(given)
  const server = await import('./run-server.ts')
  await server.serve({ ...read, envFile, displayName: createDisplayName(given), ...options })
}

/** `toolrack srat` probably means a command, not a missing folder. @throws UsageError */
function assertNoMeantCommand(program: Command, word: string): void {
  if (program.args[0] === 'start' || /[\\/.]/.test(word) || existsSync(word)) return
  if (program.commands.some(each => each.name() === word))
    throw new UsageError(`${word}: a command comes first, before its options: toolrack ${word} …`)
  program.error(describeUnknown(word, program))
}
