// `toolrack token`: creates a token for development, signed with JWT_SECRET.
import { collect } from './client/target.ts'
import type { TokenOptions } from './development-token.ts'
import { loadEnvFile } from './env-file.ts'
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
    .option('--client <id>', 'client_id (default: the first of JWT_CLIENT_IDS)')
    .option(
      '--claim <name=value>',
      'one more claim, by the name that tools see if it is of JWT_CLAIMS; JSON behind :=',
      collect,
    )
    .option('--raw', 'prints the token alone')
    .option('--json', 'prints the token, its claims and the URL as JSON')
    .addHelpText(
      'after',
      formatExamples(
        'toolrack token --sub alice --scope "prices:read" --claim tenant=acme',
        'TOKEN=$(toolrack token --sub alice --raw)',
      ),
    )
    .action(async (options: Options) => {
      loadEnvFile()
      const { createToken } = await import('./development-token.ts')
      const { token, claims, url, curl } = await createToken(options)
      if (options.json) io.printJson({ token, claims, url })
      else io.print(options.raw ? token : curl)
    })
}
