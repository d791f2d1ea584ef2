// Starts the OpenTelemetry SDK if OTEL_* settings ask for it and it is installed beside the server.
// An SDK that is already started is left alone.
import { setTimeout as sleep } from 'node:timers/promises'
import { context, DiagLogLevel, diag, metrics, ProxyTracerProvider, propagation, trace } from '@opentelemetry/api'
import type { NodeSDK } from '@opentelemetry/sdk-node'
import { type Log, LogThrottle } from 'toolrack/protocol'
import { hideCredentials, toOneLine } from 'toolrack/text'
import { hasServiceName, hasTelemetryLog } from './environment.ts'

/** Name of the tracer and the meter. */
export const INSTRUMENTATION_SCOPE = 'toolrack'

/** How long the last flush may take, ms: an unreachable collector must not block the shutdown. */
const TELEMETRY_FLUSH_MS = 3000

/** Interval between warnings, ms: without a collector, every export fails. */
const WARN_INTERVAL_MS = 60_000
const MAX_REASON = 500
/** Distinct warnings of a start. */
const MAX_EARLY = 10

export interface Telemetry {
  /** Sets the log for export failures. */
  logTo(log: Log): void
  /** Sends the remaining data. Never throws. */
  end(log: Log): Promise<void>
}

/** Whether an SDK is started, for spans, metrics or both. */
export function isTelemetryOn(): boolean {
  const provider = trace.getTracerProvider()
  if (!(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(INSTRUMENTATION_SCOPE) !== undefined)
    return true
  return metrics.getMeterProvider().constructor.name !== 'NoopMeterProvider'
}

/**
 * Never throws: a server without traces is better than no server.
 *
 * @param serviceName used if the environment does not name the service
 * @returns undefined if an SDK is already started; only logs a warning if it cannot be started
 */
export async function startTelemetry(serviceName: string): Promise<Telemetry | undefined> {
  if (isTelemetryOn()) return undefined
  const diagnostics = new Diagnostics()
  try {
    const { NodeSDK } = await import('@opentelemetry/sdk-node')
    // A `serviceName` here would override the environment's.
    const sdk = new NodeSDK(hasServiceName() ? {} : { serviceName })
    sdk.start()
    return { logTo: log => diagnostics.logTo(log), end: log => flush(sdk, log) }
  } catch (error) {
    stopParts()
    return createFailed(error as NodeJS.ErrnoException)
  }
}

async function flush(sdk: NodeSDK, log: Log): Promise<void> {
  const late = sleep(TELEMETRY_FLUSH_MS, undefined, { ref: false }).then(() => {
    throw new Error(`the collector did not answer within ${TELEMETRY_FLUSH_MS} ms`)
  })
  await Promise.race([sdk.shutdown(), late]).catch(error =>
    log.warn({ reason: hideCredentials((error as Error).message) }, 'the last spans and metrics were not sent'),
  )
}

// An SDK that fails halfway would make spans that nobody receives.
function stopParts(): void {
  for (const part of [trace, metrics, propagation, context]) part.disable()
}

const SDK_PACKAGE = '@opentelemetry/sdk-node'

function createFailed({ code, message }: NodeJS.ErrnoException): Telemetry {
  // The same error code also means that a package is missing which the SDK imports.
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${SDK_PACKAGE}'`)
  const end = async () => {}
  if (isMissing) {
    const hint = `npm install ${SDK_PACKAGE}, or unset OTEL_*`
    return { logTo: log => log.warn({ hint }, 'telemetry is not installed'), end }
  }
  const reason = hideCredentials(toOneLine(message)).slice(0, MAX_REASON)
  const hint = `correct OTEL_*, or npm install ${SDK_PACKAGE} again`
  return { logTo: log => log.warn({ reason, hint }, 'telemetry could not be started'), end }
}

/**
 * Messages of the SDK itself, such as on a setting that it ignores. With OTEL_LOG_LEVEL it logs by
 * itself.
 */
class Diagnostics {
  /** Messages from before there is a log. */
  readonly #early = new Set<string>()
  #log: Log | undefined
  readonly #throttle = new LogThrottle({ intervalMs: WARN_INTERVAL_MS })

  constructor() {
    if (hasTelemetryLog()) return
    const warn = (...[told]: unknown[]) => this.#warn(hideCredentials(parseSdkMessage(told)))
    const ignore = () => {}
    const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
    diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  }

  logTo(log: Log): void {
    this.#log = log
    for (const reason of this.#early) log.warn({ reason }, 'telemetry')
    this.#early.clear()
  }

  #warn(reason: string): void {
    if (this.#log === undefined) {
      if (this.#early.size < MAX_EARLY) this.#early.add(reason)
      return
    }
    const repeated = this.#throttle.pass('telemetry')
    if (repeated !== undefined) this.#log.warn({ reason, ...repeated }, 'telemetry')
  }
}

// The SDK formats an error as JSON of all its properties, starting with the stack.
function parseSdkMessage(told: unknown): string {
  const text = String(told)
  if (!text.startsWith('{"stack"')) return text.slice(0, MAX_REASON)
  const { name, message, code } = JSON.parse(text)
  return [name, message, code].filter(Boolean).join(' ').slice(0, MAX_REASON)
}
