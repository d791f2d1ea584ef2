// Isolated tools of a module, run by an executor: with threads that end with the test.
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { execute } from '../../src/execution/execute.ts'
import type { ToolDefinition } from '../../src/index.ts'
import { Isolation } from '../../src/isolation/isolation.ts'
import { buildTool } from '../../src/registry/tool.ts'
import { callOf } from '../execution/one-by-one.ts'
import { fakeExecutor, fakeLog } from '../fakes.ts'
import { tempFolder } from '../registry/temp-folder.ts'
import { until } from '../security/hostile.ts'

interface Options {
  /** What the file does when a thread loads it. */
  readonly topLevel?: string
  readonly maxStartMs?: number
}

/** @param handler its source, which may name `threadId` and `gate`, a channel to the test */
export function isolated(t: Test, handler: string, { topLevel = '', maxStartMs }: Options = {}) {
  const name = `gate ${Math.random()}`
  const source = `import { BroadcastChannel, threadId } from 'node:worker_threads'
const gate = () => new BroadcastChannel(${JSON.stringify(name)})
${topLevel}
export const tool = { name: 'tool', isolate: import.meta.url, handler: ${handler} }
`
  const { path } = tempFolder(t, { 'tool.mjs': source })
  const executor = fakeExecutor({ slots: { max: 1000 } })
  const { reportLateFault, faults } = executor
  const isolation = new Isolation({
    log: fakeLog(),
    maxResultBytes: 100_000,
    reportLateFault,
    faults,
    ...(maxStartMs !== undefined && { maxStartMs }),
  })
  t.teardown(() => isolation.close())
  const toolWith = (over: Partial<ToolDefinition> = {}) =>
    buildTool(
      {
        name: 'tool',
        inputSchema: { type: 'object' },
        isolate: pathToFileURL(`${path}/tool.mjs`).href,
        handler: () => {},
        ...over,
      },
      { isolate: isolation.isolate },
    )
  return { executor, isolation, toolWith, gate: () => openGate(t, name) }
}

interface Begun {
  readonly who: string
  readonly id: string
}

/** Of handlers such as WAITING: knows which have begun, and ends them. */
async function openGate(t: Test, name: string) {
  const { BroadcastChannel } = await import('node:worker_threads')
  const channel = new BroadcastChannel(name)
  const begun: Begun[] = []
  const running: Begun[] = []
  channel.onmessage = (event: unknown) => {
    const { data } = event as { data: Partial<Begun> }
    if (data.who === undefined) return
    begun.push(data as Begun)
    running.push(data as Begun)
  }
  t.teardown(() => channel.close())
  const has = (who: string) => begun.some(each => each.who === who)
  const endOne = (who: string) => {
    const [ended] = running.splice(
      running.findIndex(each => each.who === who),
      1,
    )
    channel.postMessage({ end: ended!.id })
  }
  return {
    begun,
    running,
    endOne,
    /** @returns how many calls of `other` had to end, each followed by the beginning of one that waited */
    async endsBefore(who: string, other: string): Promise<number> {
      let ends = 0
      for (; !has(who); ends++) {
        const count = begun.length
        endOne(other)
        await until(() => begun.length > count, 'the next has begun')
      }
      return ends
    },
  }
}

/** A handler that ends when the test says so. */
export const WAITING = `({ who }) => new Promise(done => {
  const channel = gate()
  const id = crypto.randomUUID()
  channel.onmessage = ({ data }) => {
    if (data.end !== id) return
    channel.close()
    done('done')
  }
  channel.postMessage({ who, id })
})`

/** Calls of `who`, with the tool's own file in a thread. */
export const callAs = (
  { executor }: Pick<ReturnType<typeof isolated>, 'executor'>,
  tool: ReturnType<typeof buildTool>,
  who = 'alice',
  over: Parameters<typeof callOf>[2] = {},
) => Promise.resolve(execute(executor, tool, callOf(who, true, over)))
