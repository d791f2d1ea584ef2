// Spans and OTLP metrics of requests; created only if an OpenTelemetry SDK is started.
// Spec: opentelemetry.io, "Semantic conventions for Model Context Protocol".
import {
  type Attributes,
  type Context,
  context,
  type Histogram,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { createSecretMask } from 'toolrack/execution'
import { type CancelReason, createErrorBody, type Exchange, isNoError } from 'toolrack/protocol'
import {
  DURATION_BUCKETS,
  type Ending,
  type RequestEnded,
  type RequestSpan,
  type Tracing,
  UNKNOWN,
} from 'toolrack/records'
import {
  extractParentContext,
  extractRunContext,
  formatTraceparent,
  type ParentContext,
  withSpanTraceId,
} from './context.ts'
import { INSTRUMENTATION_SCOPE, isTelemetryOn } from './sdk.ts'

/** Steps that take at least this long have a span, ms. */
const MIN_STEP_MS = 1

class StepTimer {
  readonly #tracer: Tracer
  readonly #parent: Context
  /** Unix time at zero of the monotonic clock; taken per request, since the clocks drift apart. */
  readonly #originMs = Date.now() - performance.now()

  constructor(tracer: Tracer, parent: Context) {
    this.#tracer = tracer
    this.#parent = parent
  }

  readonly time: NonNullable<Exchange['timed']> = (step, work) => {
    const startMs = performance.now()
    try {
      const made = work()
      if (made instanceof Promise) return made.finally(() => this.#record(step, startMs)) as typeof made
      this.#record(step, startMs)
      return made
    } catch (error) {
      this.#record(step, startMs)
      throw error
    }
  }

  #record(step: string, startMs: number): void {
    const endMs = performance.now()
    if (endMs - startMs < MIN_STEP_MS) return
    const startTime = this.#originMs + startMs
    this.#tracer.startSpan(step, { startTime }, this.#parent).end(this.#originMs + endMs)
  }
}

interface SpanOptions {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: Attributes
  readonly lineage: ParentContext
}

class OpenTelemetry implements Tracing {
  readonly #tracer: Tracer
  readonly #duration: Histogram

  constructor() {
    this.#tracer = trace.getTracer(INSTRUMENTATION_SCOPE)
    this.#duration = metrics.getMeter(INSTRUMENTATION_SCOPE).createHistogram('mcp.server.operation.duration', {
      unit: 's',
      description: 'Duration of a request, from when it was understood until its answer was there.',
      advice: { explicitBucketBoundaries: [...DURATION_BUCKETS] },
    })
  }

  startRequest(exchange: Exchange, target: string | undefined): RequestSpan {
    const few = getLowCardinalityAttributes(exchange, target)
    const method = getMethodName(exchange)
    const { end, ...begun } = this.#startSpan(exchange, {
      name: target === undefined ? method : `${method} ${target}`,
      kind: SpanKind.SERVER,
      attributes: { ...few, ...getRequestAttributes(exchange) },
      lineage: extractParentContext(exchange),
    })
    return {
      ...begun,
      end: ended => {
        const failure = end(ended)
        this.#duration.record((ended.durationMs ?? 0) / 1000, { ...few, ...failure })
      },
    }
  }

  startTaskRun(exchange: Exchange, tool: string): RequestSpan {
    // A task's run has no connection.
    const {
      'network.transport': _transport,
      'network.protocol.name': _name,
      ...few
    } = getLowCardinalityAttributes(exchange, tool)
    return this.#startSpan(exchange, {
      name: `task ${tool}`,
      kind: SpanKind.INTERNAL,
      attributes: { ...few, ...getRequestAttributes(exchange) },
      lineage: extractRunContext(exchange),
    })
  }

  #startSpan(exchange: Exchange, { name, kind, attributes, lineage }: SpanOptions) {
    const { parent, links } = lineage
    const span = this.#tracer.startSpan(name, { kind, attributes, links }, parent)
    const inside = trace.setSpan(parent, span)
    const { time: timed } = new StepTimer(this.#tracer, inside)
    const traceparent = formatTraceparent(span.spanContext())
    return {
      exchange: { ...exchange, timed, traceparent, log: withSpanTraceId(exchange, traceparent) },
      within: <T>(work: () => T) => context.with(inside, work),
      end: ({ ending, error }: Pick<RequestEnded, 'ending' | 'error'>) =>
        endSpan(span, toSpanFailure(exchange, ending, error)),
    }
  }
}

function endSpan(span: Span, { attributes, message }: SpanFailure): Attributes {
  span.setAttributes(attributes)
  if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message })
  span.end()
  return attributes
}

/** @returns undefined if no SDK is started */
export function createTracing(): Tracing | undefined {
  return isTelemetryOn() ? new OpenTelemetry() : undefined
}

const MAX_URI = 500
/** Longer URIs are cut before they are masked. */
const MAX_RAW_URI = 2000

/** Client text may contain credentials, and spans may go elsewhere than the audit. */
const maskUserText = createSecretMask([])

// Span names never contain unknown methods.
const getMethodName = ({ method, revision }: Exchange) => (revision.methods.has(method) ? method : UNKNOWN)

/** Attributes for spans and metrics: few distinct values. */
function getLowCardinalityAttributes(exchange: Exchange, target: string | undefined): Attributes {
  const method = getMethodName(exchange)
  const { httpVersion } = exchange
  const isCall = method === 'tools/call'
  return {
    'mcp.method.name': method,
    'mcp.protocol.version': exchange.revision.version,
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    ...(httpVersion !== undefined && { 'network.protocol.version': httpVersion === '2.0' ? '2' : httpVersion }),
    ...(isCall && { 'gen_ai.operation.name': 'execute_tool' }),
    ...(isCall && target !== undefined && { 'gen_ai.tool.name': target }),
    ...(method === 'prompts/get' && target !== undefined && { 'gen_ai.prompt.name': target }),
  }
}

/** Attributes for spans only: they differ with each request. */
function getRequestAttributes(exchange: Exchange): Attributes {
  const { id, session, params } = exchange
  const { uri } = params
  const hasUri = getMethodName(exchange).startsWith('resources/') && typeof uri === 'string'
  return {
    'jsonrpc.request.id': String(id),
    ...(session !== undefined && { 'mcp.session.id': session.id }),
    ...(hasUri && { 'mcp.resource.uri': maskUserText(uri.slice(0, MAX_RAW_URI)).slice(0, MAX_URI) }),
  }
}

/** Errors of the caller, not of the server. MCP conventions: "rpc.response.status_code". */
const CALLER_ERROR_CODES: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32002])

/** Reasons for which the client no longer waits for the result. */
const ABANDONED_REASONS: ReadonlySet<string | undefined> = new Set([
  'client-left',
  'cancelled',
] satisfies CancelReason[])

interface SpanFailure {
  readonly attributes: Attributes
  /** The message of the protocol error, as sent to the client. */
  readonly message?: string | undefined
}

function toSpanFailure({ revision }: Exchange, ending: Ending, error: unknown): SpanFailure {
  if (ending.outcome === 'cancelled' && ABANDONED_REASONS.has(ending.reason))
    return { attributes: { 'error.type': 'cancelled' } }
  if (error !== undefined) {
    const { code, message } = createErrorBody(error, revision)
    const refusal = { 'rpc.response.status_code': String(code) }
    if (CALLER_ERROR_CODES.has(code)) return { attributes: refusal }
    return { attributes: { 'error.type': String(code), ...refusal }, message: maskUserText(message) }
  }
  if (isNoError(ending.outcome)) return { attributes: {} }
  // A result with `isError` is a tool error for the caller, whatever the cause.
  return { attributes: { 'error.type': 'tool_error', 'toolrack.outcome': ending.outcome } }
}
