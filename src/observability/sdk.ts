// Starts the OpenTelemetry SDK where OTEL_* settings ask for it. The SDK is the operator's to
// install: without it nothing of it is loaded, and whoever started one already keeps theirs.
import { setTimeout as sleep } from 'node:timers/promises'
import { DiagLogLevel, diag, metrics, ProxyTracerProvider, trace } from '@opentelemetry/api'
import { hasServiceName, hasTelemetryLog } from '../config/environment.ts'
import type { Log } from '../request/exchange.ts'

/** Who makes the spans. */
export const INSTRUMENTATION_SCOPE = 'toolrack'

/**
 * What is left at the end is sent within this time or lost, ms: a collector that is gone must not
 * hold up the end.
 */
const TELEMETRY_FLUSH_MS = 3000

/** While a collector is gone every export fails; one in so long is told, ms. */
const WARN_INTERVAL_MS = 60_000
const MAX_REASON = 500

export interface Telemetry {
  /** Where it tells that nothing arrives. */
  logTo(log: Log): void
  /** Sends what is left. Never throws. */
  end(log: Log): Promise<void>
}

/** Whether somebody has started an SDK, for spans, metrics or both. */
export function isTelemetryOn(): boolean {
  const provider = trace.getTracerProvider()
  if (!(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(INSTRUMENTATION_SCOPE) !== undefined)
    return true
  return metrics.getMeterProvider().constructor.name !== 'NoopMeterProvider'
}

/**
 * @returns undefined where one is started already; where the SDK is not installed, what only says
 *   so
 */
export async function startTelemetry(): Promise<Telemetry | undefined> {
  if (isTelemetryOn()) return undefined
  const loaded = await importSdk()
  if (loaded === undefined) return MISSING
  const { NodeSDK } = loaded
  // It would come before what the settings say.
  const sdk = new NodeSDK(hasServiceName() ? {} : { serviceName: INSTRUMENTATION_SCOPE })
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

// With OTEL_LOG_LEVEL the SDK tells by itself, and more.
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

// The SDK tells of an error by all of its properties as JSON, of which the first is the stack.
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
