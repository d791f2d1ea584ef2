// The common part of all programs of the package: how they print help, and how they refuse invalid
// arguments.
import { existsSync } from 'node:fs'
import { type Argument, Command, CommanderError, type Help } from 'commander'
import { readPackageVersion } from 'toolrack/settings'
import { findNearestName } from 'toolrack/text'
import { UsageError } from './errors.ts'
import type { Io } from './io.ts'

/** Adds commands to the program: their arguments, options, help and action. */
export type Register = (program: Command, io: Io) => void

/** Examples, one a line, for the end of a command's help: `addHelpText('after', …)`. */
export const formatExamples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map(line => `  ${line}`).join('\n')}`

/** Narrower columns of the help are not wrapped. */
const MIN_WIDTH_TO_WRAP = 20

export function createRootCommand(name: string, { stdout }: Io): Command {
  // Subcommands inherit these.
  return (
    new Command(name)
      .exitOverride()
      // The caller of the program writes errors, once.
      .configureOutput({ writeOut: text => void stdout.write(text), writeErr: () => {} })
      .configureHelp({ subcommandTerm, minWidthToWrap: MIN_WIDTH_TO_WRAP })
      .helpOption('-h, --help', 'shows this')
      .version(readPackageVersion(), '-v, --version', 'shows the version')
  )
}

/** Without `[options]`, which all commands have. */
const subcommandTerm: Help['subcommandTerm'] = command =>
  [command.name(), ...command.registeredArguments.map(formatArgument)].join(' ')

function formatArgument(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

/** @throws UsageError; the errors of the command */
export async function parseAndRun(program: Command, args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0) throw new UsageError(explainUsage(program, error, args), { cause: error })
  }
}

/** A folder may be given instead of a command. */
const isNotFolder = (word: string) => /^\w[\w-]*$/.test(word) && !existsSync(word)

/** Maximum number of letters that may differ. */
const MAX_TYPOS = 2

export function describeUnknown(word: string, { commands }: Command): string {
  const names = commands.map(each => each.name())
  const meant = findNearestName(word, names, MAX_TYPOS)
  return `unknown command '${word}'${meant === undefined ? '' : ` (did you mean ${meant}?)`}`
}

/** Without a command, the library would print the help of a group of commands. */
const describeFault = ({ code, message }: CommanderError): string =>
  code === 'commander.help'
    ? 'expected a command'
    : message.replace(/^error: /, '').replace(/\s*\(Did you mean /, ' (did you mean ')

/** `error: unknown option '--prot'\n(Did you mean --port?)` → one line that says where the help is. */
function explainUsage(program: Command, error: CommanderError, [first = '']: readonly string[]): string {
  const command = program.commands.find(each => each.name() === first || each.aliases().includes(first))
  const mayBeCommand = program.commands.length > 0 && command === undefined && isNotFolder(first)
  const isUnknown = mayBeCommand && error.code === 'commander.unknownOption'
  const fault = isUnknown ? describeUnknown(first, program) : describeFault(error)
  const help = [program.name(), ...(command === undefined ? [] : [command.name()]), '--help'].join(' ')
  return `${fault.replace(/\.$/, '')}; ${help} shows what there is`
}
