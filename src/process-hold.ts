// What the process owes its server: to reload, to drain before it ends, and not to die of what one tool does.
import { syncBuiltinESMExports } from 'node:module'
import { isatty } from 'node:tty'
import type { FastifyInstance } from 'fastify'
import { currentTool } from './execution/late-faults.ts'

/** What may still be under way when all has been drained, ms. */
const CLOSE_GRACE_MS = 5000
/** Within it a second SIGINT is the same Ctrl-C, ms: npm hands it on to a process that has had it from the terminal. */
const SAME_CTRL_C_MS = 1000
/** What shells call a process that SIGINT has ended. */
const INTERRUPTED = 130

type Exit = (code: number) => void

export function holdProcess(app: FastifyInstance, drainMs: number): void {
  const exit = process.exit.bind(process)
  const { end, drain } = ending(app, drainMs, exit)
  process.on('SIGTERM', drain).on('SIGINT', drain)
  const isHangUp = watchTerminal()
  process.on('SIGHUP', signal => {
    if (isHangUp()) return drain(signal)
    app.log.info({ signal }, 'reloading')
    void app.toolrack.reload()
  })

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

function ending(app: FastifyInstance, drainMs: number, exit: Exit) {
  let sinceMs: number | undefined

  async function end(code: number): Promise<void> {
    if (sinceMs !== undefined) return
    sinceMs = performance.now()
    setTimeout(() => exit(1), drainMs + CLOSE_GRACE_MS).unref()
    await app.close()
    exit(code)
  }

  function drain(signal: NodeJS.Signals): void {
    if (sinceMs === undefined) {
      app.log.info({ signal }, 'draining')
      void end(0)
      return
    }
    // Somebody at a terminal who will not wait. Supervisors repeat SIGTERM, and have SIGKILL for that.
    if (signal !== 'SIGINT' || performance.now() - sinceMs < SAME_CTRL_C_MS) return
    app.log.warn({ signal }, 'ended before it was drained')
    exit(INTERRUPTED)
  }

  return { end, drain }
}

/** @returns whether the terminal that the process was started from has gone: SIGHUP says that, too */
function watchTerminal(): () => boolean {
  const terminals = [0, 1, 2].filter(isatty)
  return () => !terminals.every(isatty)
}
