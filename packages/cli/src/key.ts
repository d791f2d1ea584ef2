// `toolrack key`: creates, lists and revokes API keys, in the file that the server reads.
import { collect } from './client/target.ts'
import type { ListOptions, NewKeyOptions } from './key-commands.ts'
import { formatExamples, type Register } from './root-command.ts'

const FILE = ['--file <file>', 'the file of keys (default: API_KEYS_FILE)'] as const

export const registerKey: Register = (program, io) => {
  const key = program
    .command('key')
    .summary('makes, lists and revokes API keys')
    .description(
      'API keys are for machines that cannot get tokens, such as n8n or a CI job. The server takes the keys of the ' +
        'file that API_KEYS_FILE names, and follows its changes. The file has hashes only.',
    )
    .addHelpText(
      'after',
      formatExamples(
        'toolrack key create --file keys.json --sub n8n --scope "prices:read" --ttl 90d',
        'toolrack key list --file keys.json',
        'toolrack key revoke --file keys.json 3f9c2ab41d07',
      ),
    )
  key
    .command('create')
    .summary('makes a key, and prints it once')
    .description('Makes a key, prints it, and adds its hash to the file. Nobody can show the key again.')
    .option('--sub <who>', 'who calls; keys with the same are one caller')
    .option('--scope <scopes>', 'what it may, separated by spaces (default: nothing that needs a scope)')
    .option('--ttl <time>', 'how long it is valid, such as 12h or 90d, at most 366d', '90d')
    .option(
      '--claim <name=value>',
      'what tools see of it, such as tenant=acme; JSON behind :=; may be repeated',
      collect,
    )
    .option('--name <text>', 'what it is for, for people')
    .option(...FILE)
    .option('--raw', 'prints the key alone')
    .option('--json', 'prints the key and its facts as JSON')
    .addHelpText(
      'after',
      formatExamples(
        'toolrack key create --sub n8n --scope "prices:read" --claim tenant=acme',
        'KEY=$(toolrack key create --sub ci --ttl 30d --raw)',
      ),
    )
    .action(async (options: NewKeyOptions) => {
      const { runCreate } = await import('./key-commands.ts')
      await runCreate(options, io)
    })
  key
    .command('list')
    .summary('lists the keys, without secrets')
    .description('Lists the keys of the file: who calls, what it may, and until when. The keys themselves are nowhere.')
    .option(...FILE)
    .option('--json', 'prints the keys as JSON')
    .action(async (options: ListOptions) => {
      const { runList } = await import('./key-commands.ts')
      runList(options, io)
    })
  key
    .command('revoke')
    .summary('takes keys away')
    .description('Takes keys out of the file. A server that reads it refuses them within a second.')
    .argument('<ids...>', 'ids of keys, as key list shows them')
    .option(...FILE)
    .action(async (ids: readonly string[], options: ListOptions) => {
      const { runRevoke } = await import('./key-commands.ts')
      await runRevoke(ids, options, io)
    })
}
