// What all programs of the package have in common: how they print help, and how they refuse
// arguments that are not valid.
import { type Argument, Command, CommanderError, type Help } from 'commander'
import { readPackageVersion } from '../config/environment.ts'
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
      // Errors are written once, by who runs the program.
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

/** @throws UsageError; whatever the command throws */
export async function parseAndRun(program: Command, args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0) throw new UsageError(explainUsage(program, error, args), { cause: error })
  }
}

/** `error: unknown option '--prot'\n(Did you mean --port?)` → one line that says where the help is. */
function explainUsage(program: Command, { code, message }: CommanderError, [first = '']: readonly string[]): string {
  // It would print the help of a command that is only a group of others.
  const fault =
    code === 'commander.help'
      ? 'expected a command'
      : message.replace(/^error: /, '').replace(/\s*\(Did you mean /, ' (did you mean ')
  const command = program.commands.find(each => each.name() === first || each.aliases().includes(first))
  const help = [program.name(), ...(command === undefined ? [] : [command.name()]), '--help'].join(' ')
  return `${fault.replace(/\.$/, '')}; ${help} shows what there is`
}
