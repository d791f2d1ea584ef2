// Options of commands during which a server may ask a question: call, read and prompt.
import { type Command, Option } from 'commander'
import { LOG_LEVELS } from 'toolrack/protocol'
import { addTargetOptions, collect } from './client/target.ts'

export function addSessionOptions(command: Command): Command {
  command
    .addOption(
      new Option('--answer <name=value>', 'answers a question of the server; may be repeated').argParser(collect),
    )
    .addOption(new Option('-y, --yes', 'agrees to what the server asks, with the defaults'))
    .addOption(
      new Option('--log-level <level>', 'least level of log messages').choices([...LOG_LEVELS, 'none']).default('info'),
    )
  return addTargetOptions(command)
}
