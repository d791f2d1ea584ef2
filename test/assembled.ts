// The parts of a server without its routes, for tests that put something else in the place of one.
import type { FastifyBaseLogger } from 'fastify'
import { assemble, type Parts } from '../src/assemble.ts'
import { readOptions } from '../src/config.ts'
import { memoryState } from '../src/state/memory/state.ts'
import type { State } from '../src/state/state.ts'

type Settings = ReturnType<typeof readOptions>

/** Everything in memory, unless another state is given; nothing is started. */
export function assembled(
  name: string,
  log: FastifyBaseLogger,
  settings: Settings = readOptions({}),
  state: State = memoryState(settings),
): Parts {
  const identity = { name, version: '1' }
  const plan = {
    settings,
    isPlugin: false,
    identity,
    definitions: [],
    toolsDir: undefined,
    trail: {},
    metadataUrl: undefined,
  }
  const parts = assemble(plan, state, log)
  parts.runTasks()
  return parts
}
