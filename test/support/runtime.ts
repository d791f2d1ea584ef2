// The parts of a server without its routes, for tests that put something else in the place of one.

import type { FastifyBaseLogger } from 'fastify'
import { LiveVariables } from '../../packages/folder/src/live-variables.ts'
import { memory } from '../../packages/memory/src/state.ts'
import { openIsolation } from '../../src/compose.ts'
import { readOptions } from '../../src/config/read-options.ts'
import { Doors } from '../../src/doors/doors.ts'
import { createMasks } from '../../src/execution/masks.ts'
import { noAudit } from '../../src/observability/audit.ts'
import { noMetrics } from '../../src/observability/metrics.ts'
import type { Recorders } from '../../src/observability/recorders.ts'
import { createRuntime, type Runtime } from '../../src/runtime.ts'
import type { State } from '../../src/state/state.ts'

type Settings = ReturnType<typeof readOptions>

export const NO_RECORDERS: Recorders = Object.freeze({ audit: noAudit, metrics: noMetrics, tracing: undefined })

/** Everything in memory, unless another state is given; nothing is started. */
export function assembled(
  name: string,
  log: FastifyBaseLogger,
  settings: Settings = readOptions({}),
  state: State = memory(),
  recorders = NO_RECORDERS,
): Runtime {
  const identity = { name, version: '1' }
  const plan = {
    settings,
    namedUrl: undefined,
    isPlugin: false,
    secretFiles: [],
    identity,
    definitions: [],
    sources: [],
    hooks: {},
    toolsDir: undefined,
    samplesDir: undefined,
    auditSink: {},
    metadataUrl: undefined,
  }
  const doors = new Doors([], [], plan)
  const runtime = createRuntime(plan, {
    state,
    doors,
    masks: createMasks(settings),
    recorders,
    sourcePlan: { create: () => [], openVariables: parts => new LiveVariables(parts) },
    openIsolation,
    definitionParts: {},
    accessPlan: { ways: [] },
    log,
  })
  runtime.runTasks()
  return runtime
}
