// Isolated tools of a module, run by an executor: with processes that end with the test.
import { createServer, type Socket } from 'node:net'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { execute } from '../../../src/execution/execute.ts'
import type { ToolDefinition } from '../../../src/index.ts'
import { buildTool } from '../../../src/registry/tool.ts'
import { fakeExecutor, fakeLog } from '../../../test/support/fakes.ts'
import { callOf } from '../../../test/support/one-by-one.ts'
import { until } from '../../../test/support/security/hostile.ts'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { Processes } from '../src/isolation.ts'

interface Options {
  /** What the file does when it is loaded, which only a process of its own does. */
  readonly topLevel?: string
  readonly maxStartMs?: number
}

/**
 * @param handler its source, which may call `pass(who)`: it tells the test, and waits until the
 * test lets it pass
 */
export function isolated(t: Test, handler: string, { topLevel = '', maxStartMs }: Options = {}) {
  const source = `import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
const gate = fileURLToPath(new URL('gate', import.meta.url))
const pass = who => new Promise(done => connect(gate).on('close', () => done('done')).resume().write(who))
${topLevel}
export const tool = { name: 'tool', isolate: import.meta.url, handler: ${handler} }
`
  const { path } = tempFolder(t, { 'tool.mjs': source })
  const executor = fakeExecutor({ slots: { max: 1000 } })
  const { reportUnhandledError, errorLog } = executor
  const isolation = new Processes({
    log: fakeLog(),
    maxResultBytes: 100_000,
    reportUnhandledError,
    faults: errorLog,
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
  return { executor, isolation, toolWith, gate: () => openGate(t, `${path}/gate`) }
}

interface Begun {
  readonly who: string
  readonly socket: Socket
}

/** Where handlers such as WAITING stop: knows which have begun, and ends them. */
async function openGate(t: Test, path: string) {
  const begun: Begun[] = []
  const running: Begun[] = []
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', who => {
      const each = { who: String(who), socket }
      begun.push(each)
      running.push(each)
    })
  })
  await new Promise<void>(resolve => server.listen(path, resolve))
  t.teardown(() => {
    for (const { socket } of begun) socket.destroy()
    server.close()
  })
  const has = (who: string) => begun.some(each => each.who === who)
  const endOne = (who: string) => {
    const [ended] = running.splice(
      running.findIndex(each => each.who === who),
      1,
    )
    ended!.socket.end()
  }
  return {
    begun,
    running,
    endOne,
    /**
     * @returns how many calls of `other` had to end, each followed by the beginning of one that
     * waited
     */
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
export const WAITING = '({ who }) => pass(who)'

/** A call of `who`. */
export const callAs = (
  { executor }: Pick<ReturnType<typeof isolated>, 'executor'>,
  tool: ReturnType<typeof buildTool>,
  who = 'alice',
  over: Parameters<typeof callOf>[2] = {},
) => Promise.resolve(execute(executor, tool, callOf(who, true, over)))
