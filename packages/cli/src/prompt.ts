// `toolrack prompt`: gets one prompt of a server.
import { Option } from 'commander'
import { URL_ARGUMENT } from './client/target.ts'
import { formatExamples, type Register } from './root-command.ts'
import { addSessionOptions } from './session-options.ts'

export const registerPrompt: Register = (program, io) => {
  const command = program
    .command('prompt')
    .summary('gets a prompt of a server')
    .description(
      'Gets the messages of a prompt. Arguments are name=value, or name=@file. ' +
        'On a terminal it asks for required arguments that are missing.',
    )
    .argument(...URL_ARGUMENT)
    .argument('[name]', 'the name of the prompt')
    .argument('[args...]', 'its arguments, such as topic=tides')
    .usage('[options] [URL] <name> [args...]')
    .addOption(new Option('--json', 'prints one JSON document, whatever happens'))
  addSessionOptions(command)
    .addHelpText(
      'after',
      formatExamples('toolrack prompt review code=@main.ts', 'toolrack prompt https://example.com/mcp greet name=Ada'),
    )
    .action(async (first: string | undefined, second: string | undefined, rest: readonly string[], options) => {
      const { runPrompt } = await import('./client/prompt.ts')
      await runPrompt(
        [first, second, ...rest].filter(word => word !== undefined),
        options,
        io,
      )
    })
}
