// Parses the command line, runs the command, and ends the process if it fails.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { getPackageFile, readPackageVersion } from './config/environment.ts'
import { ConfigError } from './config/settings.ts'

type Command = () => void | Promise<void>

const COMMANDS = {
  serve: async () => (await import('./run-server.ts')).serve(),
  help: () => print(createHelpText()),
  version: () => print(readPackageVersion()),
} as const satisfies Record<string, Command>

const CLI_OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** The arguments are not valid. */
class UsageError extends Error {}

/** The usual exit code for wrong usage. */
const USAGE_CODE = 2

export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    await COMMANDS[parseCommand(args)]()
  } catch (error) {
    const code = error instanceof UsageError ? USAGE_CODE : 1
    process.stderr.write(`${formatError(error)}\n`, () => process.exit(code))
  }
}

function parseCommand(args: readonly string[]): keyof typeof COMMANDS {
  try {
    const { help, version } = parseArgs({ args: [...args], options: CLI_OPTIONS }).values
    return help ? 'help' : version ? 'version' : 'serve'
  } catch (error) {
    // The first sentence names the error; the rest explains how to pass the argument anyway.
    const [fault] = (error as Error).message.split('. ', 1)
    throw new UsageError(`${fault}; toolrack --help shows what there is`)
  }
}

function formatError(error: unknown): string {
  // Errors that the operator can fix are one line. Anything else is a bug and needs its stack.
  const isPlain = [ConfigError, UsageError].some(kind => error instanceof kind)
  if (isPlain || (error instanceof Error && 'syscall' in error)) return onOneLine((error as Error).message)
  return (error as Error)?.stack ?? String(error)
}

/** Messages repeat values, such as a folder name, that may contain control characters. */
const onOneLine = (message: string) => message.replace(/\p{Cc}+/gu, ' ')

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function createHelpText(): string {
  const readme = fileURLToPath(new URL('README.md', getPackageFile()))
  return `Usage: toolrack [--help | --version]

Serves the tools of a folder to MCP clients, at http://127.0.0.1:3000/mcp.
Settings are variables of the environment; most used are:

  TOOLS_DIR                 where the tools are (./tools)
  HOST, PORT                where it listens (127.0.0.1, 3000)
  PUBLIC_URL                the URL by which clients reach it
  JWT_SECRET                callers need a token that is signed with it
  JWT_JWKS_URL, JWT_ISSUER  the same, with the keys of an issuer
  ALLOW_ANONYMOUS           true: may listen for everybody, without tokens
  REDIS_URL                 replicas share sessions, limits and tasks there
  LOG_LEVEL                 fatal, error, warn, info, debug or trace (info)

  -h, --help                shows this
  -v, --version             shows the version

Example:  PORT=8080 TOOLS_DIR=./my-tools npx toolrack
All settings, and how to write a tool: ${existsSync(readme) ? readme : 'README.md of the package toolrack'}`
}
