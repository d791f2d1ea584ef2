// The process that serves: settings from the environment, listen, reload on SIGHUP, drain and end on SIGTERM or SIGINT.
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { assertBind } from './access-rules.ts'
import { serverOf } from './app.ts'
import { assertAuditFile } from './audit/destination.ts'
import { assertToolSettings, assertToolsDir, ConfigError, readEnvironment, SETTINGS, type Settings } from './config.ts'
import { wantsTelemetry } from './environment.ts'
import { prettyStream, stdout } from './logger.ts'
import { planOf } from './plan.ts'
import { holdProcess, refuseToEnd } from './process-hold.ts'
import { publicUrlOf } from './public-url.ts'
import { tableOf } from './start-up.ts'
import { startTelemetry } from './telemetry.ts'

/** Codes of a host that this machine cannot be. */
const NO_ADDRESS: readonly unknown[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']

/** @throws ConfigError, or the error of a system call, for what the operator has to mend */
export async function serve(): Promise<void> {
  const settings = readEnvironment()
  assertBind(settings.host, settings)
  // The default may be missing, and come later.
  if (settings.toolsDir !== SETTINGS.TOOLS_DIR.fallback) assertToolsDir(settings.toolsDir, 'TOOLS_DIR')
  assertAuditFile(settings.auditFile, 'AUDIT_FILE')
  const exit = refuseToEnd()
  const telemetry = wantsTelemetry() ? await startTelemetry() : undefined
  const app = await serverOf(planOf(settings), (await prettyStream()) ?? stdout())
  await assertSpelt(app)
  telemetry?.tell(app.log)
  app.addHook('onClose', () => telemetry?.end(app.log))
  holdProcess(app, settings.drainMs, exit)
  await app.listen({ host: settings.host, port: settings.port }).catch(async error => {
    // What it watches and is connected to would keep a process that serves nothing; it may have taken tasks, too.
    await app.close()
    throw NO_ADDRESS.includes(error.code) ? new ConfigError(`HOST: ${error.message}`) : error
  })
  tellStart(app, settings)
}

// Which variables the tools read is known once they are loaded.
async function assertSpelt(app: FastifyInstance): Promise<void> {
  try {
    assertToolSettings(app.toolrack.toolSettings)
  } catch (error) {
    await app.close()
    throw error
  }
}

function tellStart({ log, toolrack, server }: FastifyInstance, settings: Settings): void {
  const { port } = server.address() as AddressInfo
  const startUp = { ...toolrack.startUp, endpoint: publicUrlOf({ ...settings, port }).href }
  if (process.stdout.isTTY) process.stdout.write(`\n${tableOf(startUp)}\n`)
  else log.info(startUp, 'started')
}
