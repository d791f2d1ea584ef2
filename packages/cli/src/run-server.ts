// The server process. Reads settings, listens, reloads on SIGHUP, opens the audit again on SIGUSR2,
// drains on SIGTERM or SIGINT.
import { AsyncResource } from 'node:async_hooks'
import type { AddressInfo } from 'node:net'
import { isatty } from 'node:tty'
import type { FastifyInstance } from 'fastify'
import { assertAuditFile } from 'toolrack/audit'
import { assertToolSettings, findSecretFiles, readEnvironment } from 'toolrack/environment'
import { dropErrorListeners, forbidProcessEnds, getCurrentSource } from 'toolrack/execution'
import { MAX_TIMER_MS } from 'toolrack/protocol'
import type { StartUpRow } from 'toolrack/records'
import {
  assertAccess,
  assertComposable,
  buildServer,
  composeDoors,
  describeServer,
  describeStdio,
  openStdio,
  openTelemetry,
  Toolrack,
  toReport,
} from 'toolrack/server'
import {
  assertBind,
  assertToolsDir,
  ConfigError,
  getPublicUrl,
  isDefaultToolsDir,
  resolveSettings,
  type SecretFile,
  type Settings,
  toOpenUrl,
} from 'toolrack/settings'
import { toLogged } from 'toolrack/text'
import { findDoubts } from './doubtful-variables.ts'
import { describeEnvFile, type EnvFile } from './env-file.ts'
import { findProject } from './find-project.ts'
import { hasColour, openLog } from './log/open-log.ts'
import { formatStartUp } from './start-up-table.ts'
import { toStdioSettings } from './stdio-settings.ts'

/** How long closing may take after the drain, ms. */
const CLOSE_GRACE_MS = 5000
/** A second SIGINT within this time is the same Ctrl-C, ms: npm forwards the terminal's signal. */
const SAME_CTRL_C_MS = 1000
/** 128 + SIGINT. */
const SIGINT_EXIT_CODE = 130

export type Exit = (code: number) => void

/**
 * Stops tools from ending the process. Call before any tool file is loaded: its top level may try.
 * @returns the real `process.exit`
 */
export function guardProcessEnd(): Exit {
  const exit = process.exit.bind(process)
  forbidProcessEnds(['exit', 'abort', 'kill'], getCurrentSource)
  dropErrorListeners(getCurrentSource)
  return exit
}

/** Drains and ends the process. @param reason such as `SIGTERM` */
export type Drain = (reason: string) => void

/** @param exit ends the process */
export function handleSignals(app: FastifyInstance, drainMs: number, exit: Exit = guardProcessEnd()): Drain {
  const { end, drain } = createShutdown(app, drainMs, exit)
  const isHangUp = watchTerminal()
  const reload = (signal: NodeJS.Signals) => {
    if (isHangUp()) return drain(signal)
    app.log.info({ signal }, 'reloading')
    void app.toolrack.reload()
  }
  const reopenAudit = () => app.toolrack.reopenAudit()
  // Bound, since a signal's listeners run in the async context of the first, which may be a tool's.
  process.on('SIGTERM', AsyncResource.bind(drain)).on('SIGINT', AsyncResource.bind(drain))
  process.on('SIGHUP', AsyncResource.bind(reload))
  process.on('SIGUSR2', AsyncResource.bind(reopenAudit))

  // Errors of tools are reported elsewhere. Any other error leaves the process in an unknown state.
  process.on('uncaughtException', error => {
    if (getCurrentSource() !== undefined) return
    app.log.fatal({ err: toLogged(error) }, 'uncaught error, draining')
    void end(1)
  })
  // Otherwise a tool could add members to every object of every other tool.
  Object.preventExtensions(Object.prototype)
  return drain
}

function createShutdown(app: FastifyInstance, drainMs: number, exit: Exit) {
  let sinceMs: number | undefined

  async function end(code: number): Promise<void> {
    if (sinceMs !== undefined) return
    sinceMs = performance.now()
    setTimeout(() => exit(1), Math.min(drainMs + CLOSE_GRACE_MS, MAX_TIMER_MS)).unref()
    await app.close()
    exit(code)
  }

  function drain(reason: string): void {
    if (sinceMs === undefined) {
      app.log.info({ reason }, 'draining')
      void end(0)
      return
    }
    // A second Ctrl-C forces the end. Supervisors repeat SIGTERM, but can send SIGKILL.
    if (reason !== 'SIGINT' || performance.now() - sinceMs < SAME_CTRL_C_MS) return
    app.log.warn({ reason }, 'exiting before all calls have ended')
    exit(SIGINT_EXIT_CODE)
  }

  return { end, drain }
}

/** @returns whether the process has lost its terminal: SIGHUP means that too */
function watchTerminal(): () => boolean {
  const terminals = [0, 1, 2].filter(isatty)
  return () => !terminals.every(isatty)
}

/** Error codes of a host that is not an address of this machine. */
const BAD_HOST_CODES: readonly unknown[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']

export interface ServeOptions {
  /** Default: the settings of the environment. */
  readonly settings?: Settings
  /** Default: the files of the environment. */
  readonly secretFiles?: readonly SecretFile[]
  /** The file of variables that was read. */
  readonly envFile?: EnvFile | undefined
  /** Whether the log is for people, with stacks, even if stdout is not a terminal. */
  readonly isForPeople?: boolean
  /** Whether it serves the program that has started it, on stdin and stdout, without a port. */
  readonly isStdio?: boolean
  /** The user's name for a setting: its variable, or an option of the command line. */
  readonly displayName?: (name: string) => string
}

/** @throws ConfigError, or a system error that the operator can fix */
export async function serve({
  settings: given = readEnvironment(),
  secretFiles = findSecretFiles(),
  envFile,
  isForPeople = false,
  isStdio = false,
  displayName = name => name,
}: ServeOptions = {}): Promise<void> {
  // Log files may be rotated while tools load, and the signal would otherwise end the process.
  process.on('SIGUSR2', () => {})
  const { settings, ignored } = isStdio ? toStdioSettings(given) : { settings: given, ignored: [] }
  if (!isStdio) {
    assertBind(settings.host, settings, displayName)
    const doors = await composeDoors({ settings, isPlugin: false }, [], displayName)
    doors.assertGuarded(settings.host, displayName)
  }
  // The default folder may be created later.
  if (!isDefaultToolsDir(settings)) assertToolsDir(settings.toolsDir, displayName('TOOLS_DIR'))
  const closeAuditFile = assertAuditFile(settings.auditFile, displayName('AUDIT_FILE'))
  await assertAccess(settings, displayName)
  assertComposable(settings, displayName)
  const exit = guardProcessEnd()
  const resolved = resolveSettings(settings, {
    displayName,
    secretFiles,
    project: findProject(settings.toolsDir[0]!),
  })
  const telemetry = await openTelemetry(resolved.identity.name)
  let drain: Drain = () => {}
  // Before any tool is loaded, since its file may print.
  const doors = isStdio ? [await openStdio(reason => drain(reason))] : []
  const app = await buildServer(resolved, await openLog({ isForPeople, isStdio }), doors)
  closeAuditFile()
  const read = envFile && describeEnvFile(envFile)
  if (read) app.log.info({ file: envFile.file }, read)
  await checkVariables(app)
  telemetry?.logTo(app.log)
  app.addHook('onClose', () => telemetry?.end(app.log))
  drain = handleSignals(app, settings.drainMs, exit)
  if (isStdio) return announceStdio(app, ignored)
  await app.listen({ host: settings.host, port: settings.port }).catch(async error => {
    // Watchers and connections would keep the process alive although it serves nothing.
    await app.close()
    throw explainListen(error, settings, displayName)
  })
  announceStart(app, { envFile, isForPeople })
}

/** Logs first: messages arrive as soon as the app is ready. */
async function announceStdio(app: FastifyInstance, ignored: readonly string[]): Promise<void> {
  if (ignored.length > 0) app.log.warn({ settings: ignored }, 'stdio asks for no token: these settings do nothing')
  app.log.info(toReport(describeStdio(Toolrack.runtime(app.toolrack))), 'started')
  await app.ready()
}

function explainListen(
  error: NodeJS.ErrnoException & { readonly port?: number },
  { host, port, metricsPort }: Settings,
  displayName: (name: string) => string,
): Error {
  if (BAD_HOST_CODES.includes(error.code)) return new ConfigError(`${displayName('HOST')}: ${error.message}`)
  if (error.code !== 'EADDRINUSE') return error
  // The port of the metrics opens first. It may be the same as the server's own port.
  const name = displayName(error.port === metricsPort ? 'METRICS_PORT' : 'PORT')
  const taken = `something listens on port ${error.port ?? port} of ${host} already`
  return new ConfigError(`${name}: ${taken}; stop it, or take another port`)
}

// The variables that tools read are known once the tools have loaded.
async function checkVariables(app: FastifyInstance): Promise<void> {
  const { toolSettings } = app.toolrack
  try {
    assertToolSettings(toolSettings)
  } catch (error) {
    await app.close()
    throw error
  }
  for (const doubt of findDoubts(toolSettings)) app.log.warn(doubt, 'likely mistake in a variable')
}

/** Width for a person's log without a terminal. */
const PIPE_COLUMNS = 80

interface StartNews {
  readonly envFile: EnvFile | undefined
  readonly isForPeople: boolean
}

function announceStart({ log, toolrack, server }: FastifyInstance, { envFile, isForPeople }: StartNews): void {
  const { port } = server.address() as AddressInfo
  const rows = describeServer(Toolrack.runtime(toolrack), port)
  const { stdout: terminal } = process
  if (!isForPeople && !terminal.isTTY) {
    log.info(toReport(rows), 'started')
    return
  }
  const urlForCommands = findUrlForCommands(rows, envFile)
  const { columns = PIPE_COLUMNS } = terminal
  terminal.write(`\n${formatStartUp(rows, { columns, hasColour: hasColour(terminal), urlForCommands })}\n`)
}

/**
 * @returns the URL if other commands would not find it in the environment, because an option or
 *   `.env` has changed it
 */
function findUrlForCommands(rows: readonly StartUpRow[], envFile: EnvFile | undefined): string | undefined {
  const { on: url } = rows.find(({ name }) => name === 'endpoint')!
  const ofFile = new Set(envFile?.names)
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofFile.has(name)))
  try {
    return toOpenUrl(getPublicUrl(readEnvironment(environment))).href === url ? undefined : url
  } catch {
    // An option may replace an invalid variable.
    return url
  }
}
