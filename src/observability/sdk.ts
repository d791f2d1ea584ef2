// Starts the OpenTelemetry SDK if OTEL_* settings ask for it and the operator has installed it.
// An SDK that is already started is left alone.
import { setTimeout as sleep } from 'node:timers/promises'
import { DiagLogLevel, diag, metrics, ProxyTracerProvider, trace } from '@opentelemetry/api'
import { hasServiceName, hasTelemetryLog } from '../config/environment.ts'
import type { Log } from '../request/exchange.ts'

/** Name of the tracer and the meter. */
export const INSTRUMENTATION_SCOPE = 'toolrack'

/** How long the last flush may take, ms: an unreachable collector must not block the shutdown. */
const TELEMETRY_FLUSH_MS = 3000

/** Interval between warnings, ms: without a collector, every export fails. */
const WARN_INTERVAL_MS = 60_000
const MAX_REASON = 500

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
 * @param serviceName unless the environment names the service
 * @returns undefined if an SDK is already started; only logs a warning if none is installed
 */
export async function startTelemetry(serviceName: string): Promise<Telemetry | undefined> {
  if (isTelemetryOn()) return undefined
  const loaded = await importSdk()
  if (loaded === undefined) return MISSING
  const { NodeSDK } = loaded
  // A `serviceName` here would override the environment's.
  const sdk = new NodeSDK(hasServiceName() ? {} : { serviceName })
  sdk.start()
  return {
    logTo: logDiagnostics,
    async end(log) {
      const late = sleep(TELEMETRY_FLUSH_MS, undefined, { ref: false }).then(() => {
        throw new Error(`the collector did not answer within ${TELEMETRY_FLUSH_MS} ms`)
      })
      await Promise.race([sdk.shutdown(), late]).catch(error =>
        log.warn({ reason: (error as Error).message }, 'the last spans and metrics were not sent'),
      )
    },
  }
}

const MISSING: Telemetry = {
  logTo: log =>
    log.warn({ hint: 'npm install @opentelemetry/sdk-node, or unset OTEL_*' }, 'telemetry is not installed'),
  end: async () => {},
}

// With OTEL_LOG_LEVEL the SDK logs by itself.
function logDiagnostics(log: Log): void {
  if (hasTelemetryLog()) return
  let silentUntilMs = Number.NEGATIVE_INFINITY
  let unsaid = 0
  const warn = (...[told]: unknown[]) => {
    if (performance.now() < silentUntilMs) return void unsaid++
    silentUntilMs = performance.now() + WARN_INTERVAL_MS
    log.warn({ reason: parseSdkMessage(told), ...(unsaid > 0 && { before: unsaid }) }, 'telemetry')
    unsaid = 0
  }
  const ignore = () => {}
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}

// The SDK formats an error as JSON of all its properties, starting with the stack.
function parseSdkMessage(told: unknown): string {
  const text = String(told)
  if (!text.startsWith('{"stack"')) return text.slice(0, MAX_REASON)
  const { name, message, code } = JSON.parse(text)
  return [name, message, code].filter(Boolean).join(' ').slice(0, MAX_REASON)
}

async function importSdk(): Promise<typeof import('@opentelemetry/sdk-node') | undefined> {
  try {
    return await import('@opentelemetry/sdk-node')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
