// `toolrack login` and `toolrack logout`: sign-in to a server by OAuth, which other commands then use.
import { Option } from 'commander'
import { collect, parseTimeout, URL_ARGUMENT } from './client/target.ts'
import { UsageError } from './errors.ts'
import { formatExamples, type Register } from './root-command.ts'

export const registerLogin: Register = (program, io) => {
  program
    .command('login')
    .summary('signs in to a server, in the browser')
    .description(
      'Signs in to a server by OAuth, in the browser. list, call and doctor then use the sign-in, and refresh it. ' +
        'It is kept in the config folder of this user, for this URL alone.',
    )
    .argument(...URL_ARGUMENT)
    .addOption(
      new Option('--scope <scope>', 'one more than the server asks for; may be repeated')
        .argParser(collect)
        .default([]),
    )
    .option('--client-id <id>', 'of a registered client, or the https URL of its document (default: registers one)')
    .addOption(new Option('--port <number>', 'of the redirect (default: any free one)').argParser(parsePort))
    .addOption(new Option('--header <name: value>', 'one more header; may be repeated').argParser(collect))
    .addOption(new Option('--timeout <time>', 'how long it may take (default: 5m)').argParser(parseTimeout))
    .option('--json', 'prints the server, the issuer, the scopes and the expiry as JSON')
    .addHelpText(
      'after',
      `
A client with a secret has it in the variable TOOLRACK_CLIENT_SECRET.
${formatExamples('toolrack login https://example.com/mcp', 'toolrack login https://example.com/mcp --scope prices:write')}`,
    )
    .action(async (url: string | undefined, options) => {
      const { runLogin } = await import('./sign-in/login.ts')
      await runLogin(url, options, io)
    })
  program
    .command('logout')
    .summary('forgets the sign-in to a server')
    .description('Revokes the tokens of a sign-in, if the authorization server can, and deletes it from this machine.')
    .argument(...URL_ARGUMENT)
    .addHelpText('after', formatExamples('toolrack logout https://example.com/mcp'))
    .action(async (url: string | undefined) => {
      const { runLogout } = await import('./sign-in/logout.ts')
      await runLogout(url, io)
    })
}

const MAX_PORT = 65_535

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= 1 && port <= MAX_PORT) return port
  throw new UsageError(`--port: expected a number from 1 to ${MAX_PORT}, not ${JSON.stringify(text)}`)
}
