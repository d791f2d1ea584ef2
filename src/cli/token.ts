// `toolrack token`: makes a token for development, signed with JWT_SECRET.
import type { TokenOptions } from './development-token.ts'
import { formatExamples, type Register } from './root-command.ts'

interface Options extends TokenOptions {
  readonly raw?: true
  readonly json?: true
}

export const registerToken: Register = (program, io) => {
  program
    .command('token')
    .summary('makes a token for development')
    .description(
      'Prints a curl line with a token for development, signed with JWT_SECRET, which lists the tools. ' +
        'It reads the settings of the server from the environment, so that the token fits the server.',
    )
    .option('--sub <who>', 'who calls')
    .option('--scope <scopes>', 'what it may, separated by spaces (default: nothing that needs a scope)')
    .option('--ttl <time>', 'how long the token is valid, at most 24h', '1h')
    .option('--aud <uri>', 'for which server (default: that of the settings)')
    .option('--iss <issuer>', 'who issued it (default: JWT_ISSUER)')
    .option('--client <id>', 'client_id')
    .option('--raw', 'prints the token alone')
    .option('--json', 'prints the token, its claims and the URL as JSON')
    .addHelpText(
      'after',
      formatExamples('toolrack token --sub alice --scope "prices:read"', 'TOKEN=$(toolrack token --sub alice --raw)'),
    )
    .action(async (options: Options) => {
      const { createToken } = await import('./development-token.ts')
      const { token, claims, url, curl } = await createToken(options)
      if (options.json) io.printJson({ token, claims, url })
      else io.print(options.raw ? token : curl)
    })
}
