// Runs the command line of `toolrack`.
import { loadEnvFile } from '../config/env-file.ts'
import { endIfFailed, runAsProcess } from './process.ts'

export function runCommandLine(args: readonly string[]): Promise<void> {
  // A server that starts without arguments does not load the parser.
  return args.length === 0
    ? endIfFailed(async () => (await import('../run-server.ts')).serve({ envFile: loadEnvFile() }))
    : runAsProcess(async io => (await import('./program.ts')).runProgram(args, io))
}
