// `toolrack doctor`: examines any MCP server as its clients do.
import { Option } from 'commander'
import { addTargetOptions, URL_ARGUMENT } from './client/target.ts'
import type { DoctorOptions } from './doctor/run.ts'
import { InterruptedError } from './errors.ts'
import { runInterruptible } from './interrupt.ts'
import { formatExamples, type Register } from './root-command.ts'

export const registerDoctor: Register = (program, io) => {
  const command = program
    .command('doctor')
    .summary('examines a server as its clients do')
    .description(
      'Examines an MCP server as its clients do, and says how to fix what it finds: reachability, revisions, ' +
        'access, streams, browsers, sessions, lists and schemas. It calls no tool. Exit code 1 if there is a ' +
        'problem, 130 after Ctrl-C.',
    )
    .argument(...URL_ARGUMENT)
    .addOption(new Option('--origin <origin>', 'a page that is to use the server, such as https://app.example'))
    .addOption(new Option('--json', 'prints the findings as JSON'))
  addTargetOptions(command, { hasRevision: false, timeout: 'how long all of it may take (default: 60s)' })
    .addHelpText('after', formatExamples('toolrack doctor https://example.com/mcp', 'toolrack doctor --json'))
    .action(async (url: string | undefined, options: DoctorOptions) => {
      try {
        await runInterruptible(async signal => {
          const { runDoctor } = await import('./doctor/run.ts')
          await runDoctor(url, options, io, signal)
        })
      } catch (error) {
        throw error instanceof InterruptedError ? new InterruptedError('cancelled') : error
      }
    })
}
