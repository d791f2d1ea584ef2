// Stand-ins for what a step of a call is given: an exchange, a sink, a log. Each remembers what came.

import { MemoryFiles } from '../../packages/memory/src/files.ts'
import { MemoryKeptResults } from '../../packages/memory/src/kept-results.ts'
import { MemoryUsedTokens } from '../../packages/memory/src/used-tokens.ts'
import { readLibrarySchema } from '../../packages/schema-libraries/src/read.ts'
import { Seal } from '../../src/auth/seal.ts'
import { Admission } from '../../src/execution/admission.ts'
import { noCallerTokens } from '../../src/execution/caller-tokens.ts'
import type { Executor } from '../../src/execution/executor.ts'
import { HandlerErrorLog } from '../../src/execution/handler-error-log.ts'
import { IdempotentCalls } from '../../src/execution/idempotency.ts'
import { createMask } from '../../src/execution/mask.ts'
import { Semaphore, type SemaphoreOptions } from '../../src/execution/semaphore.ts'
import { SlowChecks } from '../../src/execution/slow-checks.ts'
import { findRevision } from '../../src/protocol/revisions/index.ts'
import { buildTool, type Tool } from '../../src/registry/tool.ts'
import type { ToolDefinition } from '../../src/registry/tool-definition.ts'
import { Cancellation } from '../../src/request/cancellation.ts'
import type { DetachedStream, Exchange, Log, NotificationSink } from '../../src/request/exchange.ts'
import { Inflight } from '../../src/request/inflight.ts'
import { Owners } from '../../src/request/owners.ts'
import type { Limits } from '../../src/state/limits.ts'
import { MemoryLimits } from '../../src/state/memory-limits.ts'
import { META, VERSION } from './app.ts'

export interface FakeLog extends Log {
  readonly lines: { level: string; fields: object; text: string }[]
}

export function fakeLog(): FakeLog {
  const lines: FakeLog['lines'] = []
  const at = (level: string) => (fields: object, text: string) => void lines.push({ level, fields, text })
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A sink whose reader lags once it holds `room` messages, until it is drained. */
export class FakeSink implements NotificationSink {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  readonly messages: any[] = []
  room = Number.POSITIVE_INFINITY
  #onDrain: (() => void) | undefined

  send(json: string): boolean {
    this.messages.push(JSON.parse(json))
    return this.messages.length < this.room
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  detach(): DetachedStream {
    return {
      send: json => this.send(json),
      onDrain: listener => this.onDrain(listener),
      finish: json => this.send(json),
      onExpiry: () => {},
    }
  }

  drain(): void {
    this.room = Number.POSITIVE_INFINITY
    this.#onDrain?.()
  }
}

export function fakeExchange(over: Partial<Exchange> = {}): Exchange {
  const capabilities = over.capabilities ?? {}
  return {
    id: 1,
    method: 'tools/call',
    params: { name: 'tool', arguments: {} },
    meta: { [`${META}protocolVersion`]: VERSION, [`${META}clientCapabilities`]: capabilities } as Exchange['meta'],
    revision: findRevision(VERSION)!,
    headers: {},
    capabilities,
    caller: undefined,
    owner: new Owners(undefined).find(over.caller),
    clientKey: 'client',
    sink: undefined,
    logLevel: undefined,
    session: undefined,
    ask: undefined,
    cancellation: new Cancellation(),
    requestId: 'request-1',
    log: fakeLog(),
    ...over,
  }
}

export interface Rules {
  limits?: Limits
  slots?: Partial<SemaphoreOptions>
}

/** What runs calls, its slots within sight. */
export function fakeExecutor({
  limits = new MemoryLimits(),
  slots,
}: Rules = {}): Executor & { readonly slots: Semaphore } {
  const process = new Semaphore({ max: 10, maxQueued: 10, ...slots })
  return {
    slots: process,
    admission: new Admission(limits, process),
    mask: createMask([]),
    callerTokens: noCallerTokens,
    seal: new Seal(undefined),
    usedTokens: new MemoryUsedTokens(),
    files: new MemoryFiles(),
    idempotency: new IdempotentCalls(new MemoryKeptResults(), new Inflight()),
    reportUnhandledError: () => {},
    errorLog: new HandlerErrorLog({ mask: createMask([]), secretMask: createMask([]), isForPeople: false }),
    hooks: { onCall: [] },
    slowChecks: new SlowChecks(),
    // A deadline is what a test gives its tool: this one must not pass while a machine stands still.
    rules: { clientLogging: true, toolTimeoutMs: 60_000, maxResultBytes: 100_000, errorMessages: 'all' },
  }
}

export function fakeTool(over: Partial<ToolDefinition> = {}): Tool {
  return buildTool({ name: 'tool', handler: () => 'done', ...over }, { readLibrarySchema })
}

/** A handler that waits until it is let go on, and remembers who came. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const seen = { running: 0, most: 0, order: [] as unknown[] }
  const handler = async (args: Record<string, unknown>) => {
    seen.order.push(args['n'])
    seen.most = Math.max(seen.most, ++seen.running)
    await promise
    seen.running--
    return 'done'
  }
  return { open: resolve, seen, handler, inputSchema: { type: 'object' } }
}
