// What the process owes its server: to reload, to drain before it ends, and not to die of what one tool does.
import { syncBuiltinESMExports } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { currentTool } from './execution/late-faults.ts'

/** What may still be under way when all has been drained, ms. */
const CLOSE_GRACE_MS = 5000

export function holdProcess(app: FastifyInstance, drainMs: number): void {
  const exit = process.exit.bind(process)
  let isEnding = false

  async function end(code: number): Promise<void> {
    if (isEnding) return
    isEnding = true
    setTimeout(() => exit(1), drainMs + CLOSE_GRACE_MS).unref()
    await app.close()
    exit(code)
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      app.log.info({ signal }, 'draining')
      void end(0)
    })
  }
  process.on('SIGHUP', () => void app.toolrack.reload())

  // The fault of a tool is reported where tools are run; what belongs to none leaves the process in an unknown state.
  process.on('uncaughtException', error => {
    if (currentTool() !== undefined) return
    app.log.fatal({ err: error }, 'uncaught error, draining')
    void end(1)
  })
  process.exit = code => {
    const tool = currentTool()
    if (tool !== undefined) throw new Error(`${tool} tried to end the process`)
    return exit(code)
  }
  // For who wrote `import { exit } from 'node:process'`.
  syncBuiltinESMExports()
  // What a tool adds here, it would add to every object of every other tool.
  Object.preventExtensions(Object.prototype)
}
