// `toolrack call`: calls one tool of a server.
import { Option } from 'commander'
import { URL_ARGUMENT } from './client/target.ts'
import { formatExamples, type Register } from './root-command.ts'
import { addSessionOptions } from './session-options.ts'

export const registerCall: Register = (program, io) => {
  const command = program
    .command('call')
    .summary('calls a tool of a server')
    .description(
      'Calls a tool. Arguments are name=value, typed by its schema; name:=JSON, name=@file, ' +
        'a.b=value for a member, the same name twice for a list, and - for a JSON object from stdin. ' +
        'On a terminal it asks for required arguments that are missing.',
    )
    .argument(...URL_ARGUMENT)
    .argument('[tool]', 'the name of the tool')
    .argument('[args...]', 'its arguments, such as sku=ABC-1234')
    .usage('[options] [URL] <tool> [args...]')
    .addOption(new Option('--args <JSON>', 'arguments as a JSON object'))
    .addOption(new Option('-o, --output <path>', 'saves images, audio and files: a file, a folder, or - for stdout'))
    .addOption(new Option('--json', 'prints one JSON document, whatever happens'))
  addSessionOptions(command)
    .addHelpText(
      'after',
      formatExamples(
        'toolrack call calculate_sum a=2 b=3',
        'toolrack call https://example.com/mcp find_orders state=open tags=a tags=b',
        `echo '{"a":2,"b":3}' | toolrack call calculate_sum - --json`,
      ),
    )
    .action(async (first: string | undefined, second: string | undefined, rest: readonly string[], options) => {
      const { runCall } = await import('./client/call.ts')
      await runCall(
        [first, second, ...rest].filter(word => word !== undefined),
        options,
        io,
      )
    })
}
