// The thread that handlers of isolated tools run in, one at a time. Loads the module that a tool is defined in, runs
// its handler, and hands back how that ended; knows nothing of requests.
import { AsyncLocalStorage } from 'node:async_hooks'
import { fileURLToPath } from 'node:url'
import { parentPort, threadId } from 'node:worker_threads'
import { Allowance } from '../execution/allowance.ts'
import { type FaultSource, sourceName } from '../execution/late-faults.ts'
import { refuseEnds } from '../execution/process-ends.ts'
import { fileName } from '../registry/file-name.ts'
import { findTool } from '../registry/isolate.ts'
import { followFolder, importModule, type ToolModule } from '../registry/module-hook.ts'
import { JsonCopier, NotJson, TooLarge } from '../registry/plain-json.ts'
import type { AnyToolDefinition } from '../registry/tool-definition.ts'
import { collectBeforeCall } from './collect-garbage.ts'
import { toPlainError } from './plain-error.ts'
import type { End, LateFault, Task, ToServer } from './wire.ts'
import { WorkerContext } from './worker-context.ts'

/** Whose code is running, or whose leftover is. */
interface Run {
  readonly source: FaultSource
  /** Ends the run; undefined once it has ended, and for the top level of a file. */
  fail: ((thrown: unknown) => void) | undefined
}

const runs = new AsyncLocalStorage<Run>()
const faultAllowance = new Allowance(100, 10)

// A throw that nobody can catch any more is the end of its run: nothing else would end it before the deadline.
process.on('uncaughtException', thrown => {
  const run = runs.getStore()
  if (run === undefined) throw thrown
  if (run.fail === undefined) report(run, thrown)
  else run.fail(thrown)
})

process.on('unhandledRejection', reason => {
  const run = runs.getStore()
  if (run === undefined) throw reason
  report(run, reason)
})

// As in the server's own process.
refuseEnds(['exit', 'kill'], () => {
  const run = runs.getStore()
  return run && sourceName(run.source)
})
// What a tool adds here, it would add to every object of every other tool.
Object.preventExtensions(Object.prototype)

function report({ source }: Run, thrown: unknown): void {
  if (faultAllowance.take()) parentPort?.postMessage({ source, error: toPlainError(thrown) } satisfies LateFault)
}

/** By the path of its file: the newest generation only. */
const loaded = new Map<string, { readonly url: string; readonly exported: Promise<object> }>()

function load(module: ToolModule): Promise<object> {
  const [path] = module.url.split('?', 1) as [string]
  const known = loaded.get(path)
  if (known?.url === module.url) return known.exported
  followFolder(module)
  // The first call of a tool loads its file; what the top level leaves behind is no fault of that call.
  const run: Run = { source: { file: fileName(fileURLToPath(module.url)) }, fail: undefined }
  const exported = runs.run(run, () => importModule(module))
  loaded.set(path, { url: module.url, exported })
  exported.catch(() => loaded.delete(path))
  return exported
}

async function toolOf({ tool, module }: Task): Promise<AnyToolDefinition> {
  const definition = findTool(await load(module), tool)
  if (definition === undefined) throw new Error(`${tool} is not exported by the module that it is isolated with`)
  return definition
}

/** Runs one handler to its end; never rejects, since what crosses as a rejection loses its kind. */
export default function serve(task: Task): Promise<End> {
  const run: Run = { source: { tool: task.tool }, fail: undefined }
  collectBeforeCall()
  task.port.postMessage({ kind: 'started', threadId } satisfies ToServer)
  return runs.run(run, async (): Promise<End> => {
    const link = new WorkerContext(task)
    const failed = new Promise<never>((_resolve, reject) => (run.fail = reject))
    try {
      const work = toolOf(task).then(tool => {
        const { context } = link
        // Nobody waits any more for what has not begun.
        context.signal.throwIfAborted()
        task.port.postMessage({ kind: 'ready' } satisfies ToServer)
        return tool.handler(task.args as never, context)
      })
      return fit(await Promise.race([work, failed]), task.maxBytes)
    } catch (thrown) {
      return { kind: 'threw', error: toPlainError(thrown) }
    } finally {
      run.fail = undefined
      link.end()
    }
  })
}

// Getters, proxies and toJSON run here, in the thread of the tool.
function fit(returned: unknown, maxBytes: number): End {
  if (returned === undefined) return { kind: 'returned', value: undefined }
  try {
    return { kind: 'returned', value: new JsonCopier({ maxBytes, tally: undefined }).copy(returned) }
  } catch (error) {
    if (error instanceof TooLarge) return { kind: 'unfit', reason: undefined }
    return {
      kind: 'unfit',
      reason: error instanceof NotJson ? error.message.slice(0, 300) : 'reading it threw an error',
    }
  }
}
