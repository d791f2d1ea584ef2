// The process that serves: settings from the environment, listen, reload on SIGHUP, drain and end on SIGTERM or SIGINT.
import { AsyncResource } from 'node:async_hooks'
import type { AddressInfo } from 'node:net'
import { isatty } from 'node:tty'
import type { FastifyInstance } from 'fastify'
import { buildServer } from './app.ts'
import { assertBind } from './config/access.ts'
import { wantsTelemetry } from './config/environment.ts'
import { resolveOptions } from './config/options.ts'
import { getPublicUrl } from './config/public-url.ts'
import { assertRedisPackages } from './config/redis-packages.ts'
import {
  assertToolSettings,
  assertToolsDir,
  ConfigError,
  readEnvironment,
  SETTINGS,
  type Settings,
} from './config/settings.ts'
import { dropErrorListeners, forbidProcessEnds } from './execution/process-exit-guard.ts'
import { getCurrentSource } from './execution/unhandled-errors.ts'
import { assertAuditFile } from './observability/audit-file.ts'
import { formatStartUp } from './observability/banner.ts'
import { prettyStream, stdout } from './observability/logger.ts'
import { startTelemetry } from './observability/sdk.ts'

// What the process owes its server: to reload, to drain before it ends, and not to die of what one tool does.

/** What may still be under way when all has been drained, ms. */
const CLOSE_GRACE_MS = 5000
/** Within it a second SIGINT is the same Ctrl-C, ms: npm hands it on to a process that has had it from the terminal. */
const SAME_CTRL_C_MS = 1000
/** What shells call a process that SIGINT has ended. */
const SIGINT_EXIT_CODE = 130

export type Exit = (code: number) => void

/** To be called before any tool file is loaded: its top level may ask for the end, too. @returns what ends the process */
export function guardProcessEnd(): Exit {
  const exit = process.exit.bind(process)
  forbidProcessEnds(['exit', 'abort', 'kill'], getCurrentSource)
  dropErrorListeners(getCurrentSource)
  return exit
}

/** @param exit what ends the process, whoever has caused it */
export function handleSignals(app: FastifyInstance, drainMs: number, exit: Exit = guardProcessEnd()): void {
  const { end, drain } = createShutdown(app, drainMs, exit)
  const isHangUp = watchTerminal()
  const reload = (signal: NodeJS.Signals) => {
    if (isHangUp()) return drain(signal)
    app.log.info({ signal }, 'reloading')
    void app.toolrack.reload()
  }
  // Bound, since a tool file may have listened first: all listeners of a signal run as if they were its own.
  process.on('SIGTERM', AsyncResource.bind(drain)).on('SIGINT', AsyncResource.bind(drain))
  process.on('SIGHUP', AsyncResource.bind(reload))

  // The faults of tools and their files are reported where these run; any other leaves the process in an unknown state.
  process.on('uncaughtException', error => {
    if (getCurrentSource() !== undefined) return
    app.log.fatal({ err: error }, 'uncaught error, draining')
    void end(1)
  })
  // What a tool adds here, it would add to every object of every other tool.
  Object.preventExtensions(Object.prototype)
}

function createShutdown(app: FastifyInstance, drainMs: number, exit: Exit) {
  let sinceMs: number | undefined

  async function end(code: number): Promise<void> {
    if (sinceMs !== undefined) return
    sinceMs = performance.now()
    setTimeout(() => exit(1), drainMs + CLOSE_GRACE_MS).unref()
    await app.close()
    exit(code)
  }

  function drain(signal: NodeJS.Signals): void {
    if (sinceMs === undefined) {
      app.log.info({ signal }, 'draining')
      void end(0)
      return
    }
    // Somebody at a terminal who will not wait. Supervisors repeat SIGTERM, and have SIGKILL for that.
    if (signal !== 'SIGINT' || performance.now() - sinceMs < SAME_CTRL_C_MS) return
    app.log.warn({ signal }, 'ended before it was drained')
    exit(SIGINT_EXIT_CODE)
  }

  return { end, drain }
}

/** @returns whether the terminal that the process was started from has gone: SIGHUP says that, too */
function watchTerminal(): () => boolean {
  const terminals = [0, 1, 2].filter(isatty)
  return () => !terminals.every(isatty)
}

/** Codes of a host that this machine cannot be. */
const BAD_HOST_CODES: readonly unknown[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']

/** @throws ConfigError, or the error of a system call, for what the operator has to mend */
export async function serve(): Promise<void> {
  const settings = readEnvironment()
  assertBind(settings.host, settings)
  // The default may be missing, and come later.
  if (settings.toolsDir !== SETTINGS.TOOLS_DIR.fallback) assertToolsDir(settings.toolsDir, 'TOOLS_DIR')
  assertAuditFile(settings.auditFile, 'AUDIT_FILE')
  assertRedisPackages(settings.redisUrl, 'REDIS_URL')
  const exit = guardProcessEnd()
  const telemetry = wantsTelemetry() ? await startTelemetry() : undefined
  const app = await buildServer(resolveOptions(settings), (await prettyStream()) ?? stdout())
  await assertToolSettingsSpelt(app)
  telemetry?.logTo(app.log)
  app.addHook('onClose', () => telemetry?.end(app.log))
  handleSignals(app, settings.drainMs, exit)
  await app.listen({ host: settings.host, port: settings.port }).catch(async error => {
    // What it watches and is connected to would keep a process that serves nothing; it may have taken tasks, too.
    await app.close()
    throw BAD_HOST_CODES.includes(error.code) ? new ConfigError(`HOST: ${error.message}`) : error
  })
  announceStart(app, settings)
}

// Which variables the tools read is known once they are loaded.
async function assertToolSettingsSpelt(app: FastifyInstance): Promise<void> {
  try {
    assertToolSettings(app.toolrack.toolSettings)
  } catch (error) {
    await app.close()
    throw error
  }
}

function announceStart({ log, toolrack, server }: FastifyInstance, settings: Settings): void {
  const { port } = server.address() as AddressInfo
  const startUp = { ...toolrack.startUp, endpoint: getPublicUrl({ ...settings, port }).href }
  if (process.stdout.isTTY) process.stdout.write(`\n${formatStartUp(startUp)}\n`)
  else log.info(startUp, 'started')
}
