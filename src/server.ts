#!/usr/bin/env node
// The process: settings from the environment, listen, reload on SIGHUP, drain and end on SIGTERM or SIGINT.
import { createServer } from './app.ts'
import { assertAuditFile } from './audit/destination.ts'
import { assertBind, assertToolsDir, ConfigError, readEnvironment } from './config.ts'
import { prettyStream } from './logger.ts'
import { holdProcess } from './process-hold.ts'

async function main(): Promise<void> {
  const settings = readEnvironment()
  assertBind(settings.host, settings)
  assertToolsDir(settings, 'TOOLS_DIR')
  assertAuditFile(settings.auditFile, 'AUDIT_FILE')
  const app = await createServer({ ...settings, logStream: await prettyStream() })
  holdProcess(app, settings.drainMs)
  await app.listen({ host: settings.host, port: settings.port })
}

main().catch((error: unknown) => {
  // A wrong setting is the operator's to mend: one line that names it. Anything else is ours, and needs its stack.
  const isPlain = error instanceof ConfigError || (error instanceof Error && 'syscall' in error)
  process.stderr.write(`${isPlain ? (error as Error).message : ((error as Error)?.stack ?? error)}\n`)
  process.exitCode = 1
})
