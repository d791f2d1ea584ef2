// Turns of the queue that are handed out more than once, as a queue of many processes may.
import t from 'tap'
import type { ToolDefinition } from '../../../src/index.ts'
import { taskRunner } from '../../../src/tasks/runner.ts'
import type { TaskService } from '../../../src/tasks/tasks.ts'
import { toStarted } from '../../../src/tasks/transitions.ts'
import { partsWith } from '../../support/tasks/parts.ts'

/** A task that nobody runs but the test. */
async function held(tool: ToolDefinition) {
  const parts = partsWith(tool)
  const { tasks, open, log } = parts
  await tasks.stop()
  const { id } = await open(tool.name)
  const runTask = taskRunner({ ...parts, log: log as never })
  const by = (run: number) => runTask(id, { run, lost: new AbortController().signal })
  return { tasks, id, by, look: () => tasks.read(id) }
}

function counted(more: Partial<ToolDefinition> = {}) {
  const gate = Promise.withResolvers<void>()
  const seen = { runs: 0 }
  const tool: ToolDefinition = {
    name: 'counted',
    async handler() {
      seen.runs++
      await gate.promise
      return 'done'
    },
    ...more,
  }
  return { tool, seen, open: gate.resolve }
}

for (const idempotentHint of [true, false]) {
  const what = idempotentHint ? 'may run again' : 'must not run again'
  t.test(`turns: while a task that ${what} is run by one turn, another has nothing to do`, async t => {
    const { tool, seen, open } = counted({ annotations: { idempotentHint } })
    const { by, look } = await held(tool)
    const running = by(0)
    while (seen.runs === 0) await new Promise(setImmediate)

    t.equal(await by(3), true)
    open()

    t.equal(await running, true)
    t.equal(seen.runs, 1)
    t.match(await look(), { status: 'completed', run: 1 })
  })
}

t.test('turns: a turn that comes again has lost its process, and an idempotent tool runs again', async t => {
  const { tool, seen, open } = counted({ annotations: { idempotentHint: true } })
  const { tasks, id, by, look } = await held(tool)
  await tasks.change(id, toStarted)
  open()

  t.equal(await by(0), true)

  t.equal(seen.runs, 1)
  t.match(await look(), { status: 'completed', run: 2 })
})

t.test('turns: a turn that comes again of any other tool has its task fail as interrupted', async t => {
  const { tool, seen } = counted()
  const { tasks, id, by, look } = await held(tool)
  await tasks.change(id, toStarted)

  t.equal(await by(0), true)

  t.equal(seen.runs, 0)
  t.match(await look(), { status: 'failed', statusMessage: /\binterrupted: / })
})

t.test('turns: a task that was run too often without an end fails as interrupted', async t => {
  const { tool, seen } = counted({ annotations: { idempotentHint: true } })
  const { tasks, id, by, look } = await held(tool)
  for (let run = 0; run < 20; run++) await tasks.change(id, toStarted)

  t.equal(await by(0), true)

  t.equal(seen.runs, 0)
  t.match(await look(), { status: 'failed', statusMessage: /\binterrupted: / })
})

/** As if the queue outlived the process. */
const outliving = (tasks: TaskService): TaskService =>
  new Proxy(tasks, {
    get(target, name) {
      if (name === 'endsWithProcess' || name === 'isStopping') return false
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

t.test('turns: an idempotent run whose lease is lost stops, and is not taken for done', async t => {
  const started = Promise.withResolvers<AbortSignal>()
  const handler: ToolDefinition['handler'] = (_args, { signal }) => {
    started.resolve(signal)
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const parts = partsWith({ name: 'stuck', annotations: { idempotentHint: true }, handler })
  const { log, tasks } = parts
  await tasks.stop()
  const { id } = await parts.open('stuck')
  const lost = new AbortController()
  const runTask = taskRunner({ ...parts, tasks: outliving(tasks), log: log as never })
  const running = runTask(id, { run: 0, lost: lost.signal })
  const signal = await started.promise

  lost.abort()

  t.equal(await running, false)
  t.equal(signal.reason.message, 'The server is shutting down')
  t.match(await tasks.read(id), { status: 'working', isRunning: true })
})
