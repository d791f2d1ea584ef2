// `toolrack audit`: checks the chains of the audit.
import type { VerifyOptions } from './audit-verify.ts'
import { collect } from './client/target.ts'
import { formatExamples, type Register } from './root-command.ts'

export const registerAudit: Register = (program, io) => {
  const audit = program
    .command('audit')
    .summary('checks the audit')
    .description('Each record of the audit has its number and the hash of the one before.')
  audit
    .command('verify')
    .summary('finds records that are altered, missing, or there twice')
    .description(
      'Checks each record of the files against the one before it. Exit code 1 if one is altered, missing, there ' +
        'twice or moved. The last record of a chain has nobody who vouches for it: see docs/reference/audit.md.',
    )
    .argument('<files...>', 'the oldest first; also .gz, and - for stdin')
    .option('--continued', 'older files are gone, so chains may begin in their middle')
    .option('--head <hash>', 'the hash of a record that has to be there, as kept elsewhere; may be repeated', collect)
    .option('--json', 'prints the findings as JSON')
    .addHelpText(
      'after',
      formatExamples(
        'toolrack audit verify /var/log/audit.log.1 /var/log/audit.log',
        'kubectl logs deploy/toolrack | toolrack audit verify -',
      ),
    )
    .action(async (files: readonly string[], options: VerifyOptions) => {
      const { runVerify } = await import('./audit-verify.ts')
      await runVerify(files, options, io)
    })
}
