// `toolrack list`: what a server has, as signatures.
import { Option } from 'commander'
import { addTargetOptions, URL_ARGUMENT } from './client/target.ts'
import { formatExamples, type Register } from './root-command.ts'

export const registerList: Register = (program, io) => {
  const command = program
    .command('list')
    .summary('lists the tools of a server, as signatures')
    .description('Lists the tools of a server: name, arguments, result, and the first sentence of the description.')
    .argument(...URL_ARGUMENT)
    .argument('[pattern]', "names to list, such as 'get_*'")
    .addOption(new Option('--resources', 'lists resources and their templates').conflicts('prompts'))
    .addOption(new Option('--prompts', 'lists prompts'))
    .addOption(new Option('--json', 'prints the whole definitions as JSON'))
  addTargetOptions(command)
    .addHelpText('after', formatExamples('toolrack list', "toolrack list https://example.com/mcp 'get_*' --json"))
    .action(async (first: string | undefined, second: string | undefined, options) => {
      const { runList } = await import('./client/list.ts')
      await runList([first, second], options, io)
    })
}
