// `toolrack server`: names for servers, which can replace a URL in any command.
import { formatExamples, type Register } from './root-command.ts'

export const registerServer: Register = (program, io) => {
  const server = program
    .command('server')
    .summary('gives names to servers')
    .description(
      'Names for servers stand wherever a command takes a URL: toolrack call prod get_price. In that place a name wins ' +
        'over a tool of the same name. They are kept in the config folder of this user, without tokens.',
    )
    .addHelpText(
      'after',
      formatExamples(
        'toolrack server add prod https://example.com/mcp',
        'toolrack call prod get_price sku=ABC-1234',
        'toolrack server list',
      ),
    )
  server
    .command('add')
    .summary('gives a server a name')
    .description('Gives a server a name, or changes the URL of a name with --force.')
    .argument('<name>', 'letters, digits, - and _')
    .argument('<URL>', 'of the MCP endpoint')
    .option('--token-env <variable>', 'the variable that has its token (default: the sign-in, or TOOLRACK_TOKEN)')
    .option('--force', 'changes a name that is there')
    .action(async (name: string, url: string, options) => {
      const { runAdd } = await import('./server-commands.ts')
      await runAdd(name, url, options, io)
    })
  server
    .command('list')
    .summary('lists the names')
    .description('Lists the names, their URLs, and how commands get a token for them.')
    .option('--json', 'prints them as JSON')
    .action(async options => {
      const { runList } = await import('./server-commands.ts')
      runList(options, io)
    })
  server
    .command('remove')
    .summary('forgets a name')
    .description('Forgets names. A sign-in stays: toolrack logout ends it.')
    .argument('<names...>')
    .action(async (names: readonly string[]) => {
      const { runRemove } = await import('./server-commands.ts')
      await runRemove(names, io)
    })
}
