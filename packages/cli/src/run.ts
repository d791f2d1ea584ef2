// Runs the command line of `toolrack`.
import { loadEnvFile } from './env-file.ts'
import { endIfFailed, runAsProcess } from './process.ts'
import { useProxy } from './use-proxy.ts'

export function runCommandLine(args: readonly string[]): Promise<void> {
  // A server that starts without arguments does not load the parser.
  return args.length === 0
    ? endIfFailed(async () => {
        const envFile = loadEnvFile()
        await useProxy()
        await (await import('./run-server.ts')).serve({ envFile })
      })
    : runAsProcess(async io => {
        await useProxy()
        await (await import('./program.ts')).runProgram(args, io)
      })
}
