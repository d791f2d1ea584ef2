// `toolrack read`: reads one resource of a server.
import { Option } from 'commander'
import { URL_ARGUMENT } from './client/target.ts'
import { formatExamples, type Register } from './root-command.ts'
import { addSessionOptions } from './session-options.ts'

export const registerRead: Register = (program, io) => {
  const command = program
    .command('read')
    .summary('reads a resource of a server')
    .description('Reads a resource: its text, or its bytes in a pipe. The URI may be one that a template stands for.')
    .argument(...URL_ARGUMENT)
    .argument('[uri]', 'the URI of the resource')
    .usage('[options] [URL] <uri>')
    .addOption(new Option('-o, --output <path>', 'saves the resource: a file, a folder, or - for stdout'))
    .addOption(new Option('--json', 'prints one JSON document, whatever happens'))
  addSessionOptions(command)
    .addHelpText(
      'after',
      formatExamples(
        'toolrack read files:///notes/todo.txt',
        'toolrack read https://example.com/mcp files:///logo.png --output logo.png',
      ),
    )
    .action(async (first: string | undefined, second: string | undefined, options) => {
      const { runRead } = await import('./client/read.ts')
      await runRead([first, second], options, io)
    })
}
