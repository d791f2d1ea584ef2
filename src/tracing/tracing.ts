// Spans and OTLP metrics of what is served, for whoever has started an OpenTelemetry SDK. Without one nothing of this runs.
// Spec: opentelemetry.io, "Semantic conventions for Model Context Protocol".
import {
  type Attributes,
  context,
  type Histogram,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Ending } from '../audit/outcome.ts'
import { logIn } from '../audit/trace.ts'
import type { Exchange } from '../exchange.ts'
import { DURATION_BUCKETS } from '../metrics/durations.ts'
import { isTelemetryOn, SCOPE } from '../telemetry.ts'
import { type Failure, failureOf, fewAttributesOf, methodOf, ownAttributesOf } from './attributes.ts'
import { StepTimer } from './step-timer.ts'
import { type Lineage, lineageOf, lineageOfRun, traceparentOf } from './trace-context.ts'

/** How a request ended. */
export interface SpanEnd {
  readonly ending: Ending
  /** What it was refused with. */
  readonly error?: unknown
  readonly durationMs: number
}

export interface RequestSpan {
  /** The same, in this span. */
  readonly exchange: Exchange
  /** Runs what belongs to it, so that spans of its own nest under it. */
  within<T>(work: () => T): T
  end(end: SpanEnd): void
}

interface Beginning {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: Attributes
  readonly lineage: Lineage
}

export class Tracing {
  readonly #tracer: Tracer
  readonly #duration: Histogram

  constructor() {
    this.#tracer = trace.getTracer(SCOPE)
    this.#duration = metrics.getMeter(SCOPE).createHistogram('mcp.server.operation.duration', {
      unit: 's',
      description: 'Duration of a request, from when it was understood until its answer was there.',
      advice: { explicitBucketBoundaries: [...DURATION_BUCKETS] },
    })
  }

  /** @param target the tool or the prompt, where there is such a one */
  begin(exchange: Exchange, target: string | undefined): RequestSpan {
    const few = fewAttributesOf(exchange, target)
    const method = methodOf(exchange)
    const { end, ...begun } = this.#begin(exchange, {
      name: target === undefined ? method : `${method} ${target}`,
      kind: SpanKind.SERVER,
      attributes: { ...few, ...ownAttributesOf(exchange) },
      lineage: lineageOf(exchange),
    })
    return {
      ...begun,
      end: ended => {
        const failure = end(ended)
        this.#duration.record(ended.durationMs / 1000, { ...few, ...failure })
      },
    }
  }

  /** One run of a task, whose request was answered before. */
  beginRun(exchange: Exchange, tool: string): RequestSpan {
    // It came over no connection.
    const { 'network.transport': _transport, 'network.protocol.name': _name, ...few } = fewAttributesOf(exchange, tool)
    return this.#begin(exchange, {
      name: `task ${tool}`,
      kind: SpanKind.INTERNAL,
      attributes: { ...few, ...ownAttributesOf(exchange) },
      lineage: lineageOfRun(exchange),
    })
  }

  #begin(exchange: Exchange, { name, kind, attributes, lineage }: Beginning) {
    const { parent, links } = lineage
    const span = this.#tracer.startSpan(name, { kind, attributes, links }, parent)
    const inside = trace.setSpan(parent, span)
    const { time: timed } = new StepTimer(this.#tracer, inside)
    const traceparent = traceparentOf(span.spanContext())
    return {
      exchange: { ...exchange, timed, traceparent, log: logIn(exchange, traceparent) },
      within: <T>(work: () => T) => context.with(inside, work),
      end: ({ ending, error }: SpanEnd) => endAs(span, failureOf(exchange, ending, error)),
    }
  }
}

function endAs(span: Span, { attributes, message }: Failure): Attributes {
  span.setAttributes(attributes)
  if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message })
  span.end()
  return attributes
}

/** @returns undefined where no SDK listens */
export function createTracing(): Tracing | undefined {
  return isTelemetryOn() ? new Tracing() : undefined
}
