// The program `toolrack` and its commands. The file of a command declares its arguments. Its code is
// imported when it runs, so that no command loads the code of another.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { getPackageFile } from 'toolrack/settings'
import { registerAudit } from './audit.ts'
import { registerCall } from './call.ts'
import { registerCheck } from './check.ts'
import { registerCompletion } from './completion.ts'
import { registerConnect } from './connect.ts'
import { registerDoctor } from './doctor.ts'
import { formatError, UsageError } from './errors.ts'
import { registerInit } from './init.ts'
import type { Io } from './io.ts'
import { registerKey } from './key.ts'
import { registerList } from './list.ts'
import { registerLogin } from './login.ts'
import { registerPrompt } from './prompt.ts'
import { registerRead } from './read.ts'
import { createRootCommand, parseAndRun, type Register } from './root-command.ts'
import { registerServer } from './server.ts'
import { registerStart } from './start.ts'
import { registerToken } from './token.ts'

/** In the order of the help. */
const COMMANDS: readonly Register[] = [
  registerStart,
  registerInit,
  registerCheck,
  registerList,
  registerCall,
  registerRead,
  registerPrompt,
  registerDoctor,
  registerConnect,
  registerLogin,
  registerServer,
  registerToken,
  registerKey,
  registerAudit,
  registerCompletion,
]

/** @throws UsageError; the errors of the command */
export async function runProgram(args: readonly string[], io: Io): Promise<void> {
  const program = createRootCommand('toolrack', io)
    .enablePositionalOptions()
    .description('Serves tools to MCP clients, and helps to write, check and call them.')
    .usage('[command] [options]')
    .helpCommand('help [command]', 'shows the help of a command')
    .addHelpText('after', createSettingsHelp())
  for (const register of COMMANDS) register(program, io)
  let isRunning = false
  program.hook('preAction', () => void (isRunning = true))
  try {
    await parseAndRun(program, args)
  } catch (error) {
    // A running command prints its own failures.
    const isRefused = error instanceof UsageError && !isRunning
    if (isRefused && args.includes('--json')) io.printJson({ error: { message: formatError(error) } })
    throw error
  }
}

function createSettingsHelp(): string {
  const readme = fileURLToPath(new URL('README.md', getPackageFile()))
  return `
Most used settings, as options of start (--port 8080) or variables (PORT=8080):
  HOST, PORT, TOOLS_DIR, PUBLIC_URL, JWT_SECRET, JWT_JWKS_URL, JWT_ISSUER,
  API_KEYS_FILE, ALLOW_ANONYMOUS, REDIS_URL, LOG_LEVEL

How to write a tool, and more: ${existsSync(readme) ? readme : 'README.md of the package toolrack'}`
}
