// Runs the cases that stores have to pass, as tests of node:test. Each case has its own state.
import { test } from 'node:test'
import {
  closeState,
  type EventBounds,
  findStateProblem,
  memory,
  type QueueBounds,
  type State,
  type StoreContext,
  startState,
  type UsageBounds,
} from 'toolrack/state'
import { createCheck, type Ending, type Suite } from './suites/check.ts'
import { eventsSuite } from './suites/events.ts'
import { filesSuite } from './suites/files.ts'
import { keptResultsSuite } from './suites/kept-results.ts'
import { limitsSuite } from './suites/limits.ts'
import { sessionsSuite } from './suites/sessions.ts'
import { roomSuite } from './suites/sessions-room.ts'
import { spentSuite } from './suites/spent.ts'
import { taskQueueSuite } from './suites/task-queue.ts'
import { tasksSuite } from './suites/tasks.ts'

/** Small bounds, so that a case meets them soon. Other bounds are the store's own. */
export interface StateBounds {
  readonly sessions?: { readonly maxSessions?: number }
  readonly events?: EventBounds
  readonly tasks?: Partial<UsageBounds>
  readonly taskQueue?: Pick<QueueBounds, 'maxPerSubject'>
}

/** How a store is tested. */
export interface TestOptions {
  /**
   * False if the stores cannot be given bounds of sessions, events and tasks. Cases that need them
   * are left out then. Default: true.
   */
  readonly isBounded?: boolean
}

type Open = (t: Ending, bounds?: StateBounds, context?: Partial<StoreContext>) => Promise<State>
type RunSuite = (suite: Suite, name: string, open: Open, options: Required<TestOptions>) => void

const openLimits = (open: Open, name: 'requestLimits' | 'toolLimits') => async (t: Ending) => (await open(t))[name]

const SUITES = {
  sessions(suite, name, open, { isBounded }) {
    const make = async (t: Ending, { ttlMs, ...sessions }: { readonly ttlMs: number; readonly maxSessions?: number }) =>
      (await open(t, { sessions }, { sessionTtlMs: ttlMs })).sessions
    sessionsSuite(suite, name, make)
    if (isBounded) roomSuite(suite, name, make)
  },
  events: (suite, name, open, options) =>
    eventsSuite(suite, name, async (t, events) => (await open(t, { events })).events, options),
  requestLimits: (suite, name, open) => limitsSuite(suite, name, openLimits(open, 'requestLimits')),
  toolLimits: (suite, name, open) => limitsSuite(suite, name, openLimits(open, 'toolLimits')),
  usedTokens: (suite, name, open) => spentSuite(suite, name, async t => (await open(t)).usedTokens),
  files: (suite, name, open) => filesSuite(suite, name, async t => [(await open(t)).files]),
  keptResults: (suite, name, open) => keptResultsSuite(suite, name, async t => [(await open(t)).keptResults]),
  tasks: (suite, name, open, options) =>
    tasksSuite(suite, name, async (t, tasks) => (await open(t, { tasks })).tasks, options),
  taskQueue: (suite, name, open) =>
    taskQueueSuite(suite, name, async (t, { max, ...taskQueue }) => {
      return (await open(t, { taskQueue }, { maxConcurrentCalls: max })).taskQueue
    }),
} as const satisfies Partial<Record<keyof State, RunSuite>>

/** The stores with cases; only replicas use the others. */
export type TestedStore = keyof typeof SUITES

/**
 * Tests all stores of a state. Call it in a file of tests for `node --test`.
 *
 * @param create creates an empty state with these bounds
 */
export function testState(
  name: string,
  create: (bounds: StateBounds) => State | Promise<State>,
  options: TestOptions = {},
): void {
  for (const store of Object.keys(SUITES) as TestedStore[]) runSuite(store, name, create, options)
}

/**
 * Tests one store of a state; the other stores are in memory.
 *
 * @param create creates an empty store with these bounds
 */
export function testStore<S extends TestedStore>(
  store: S,
  name: string,
  create: (bounds: StateBounds) => State[S] | Promise<State[S]>,
  options: TestOptions = {},
): void {
  runSuite(store, name, async bounds => ({ ...memory(), [store]: await create(bounds) }), options)
}

function runSuite(
  store: TestedStore,
  name: string,
  create: (bounds: StateBounds) => State | Promise<State>,
  { isBounded = true }: TestOptions,
): void {
  const open: Open = async (t, bounds = {}, context = {}) => {
    const state = await create(bounds)
    const problem = findStateProblem(state)
    if (problem !== undefined) throw new TypeError(problem)
    await startState(state, { ...CONTEXT, ...context })
    t.teardown(() => closeState(state, CONTEXT.log))
    return state
  }
  const suite: Suite = {
    test: (title, work) =>
      test(
        title,
        async context => void (await work(createCheck(end => context.after(async () => void (await end()))))),
      ),
  }
  const run: RunSuite = SUITES[store]
  run(suite, `${name}: ${store}`, open, { isBounded })
}

const quiet = () => {}
const log = { level: 'silent', fatal: quiet, error: quiet, warn: quiet, info: quiet, debug: quiet, trace: quiet }
const CONTEXT: StoreContext = {
  log: { ...log, silent: quiet, child: () => CONTEXT.log } as StoreContext['log'],
  sessionTtlMs: 60_000,
  maxConcurrentCalls: 8,
  hasStateSecret: false,
}
