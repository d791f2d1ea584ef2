// What the process owes its server: to reload, to drain before it ends, and not to die of what one tool does.
import { AsyncResource } from 'node:async_hooks'
import { isatty } from 'node:tty'
import type { FastifyInstance } from 'fastify'
import { currentSource } from './execution/late-faults.ts'
import { dropFaultListeners, refuseEnds } from './execution/process-ends.ts'

/** What may still be under way when all has been drained, ms. */
const CLOSE_GRACE_MS = 5000
/** Within it a second SIGINT is the same Ctrl-C, ms: npm hands it on to a process that has had it from the terminal. */
const SAME_CTRL_C_MS = 1000
/** What shells call a process that SIGINT has ended. */
const INTERRUPTED = 130

export type Exit = (code: number) => void

/** To be called before any tool file is loaded: its top level may ask for the end, too. @returns what ends the process */
export function refuseToEnd(): Exit {
  const exit = process.exit.bind(process)
  refuseEnds(['exit', 'abort', 'kill'], currentSource)
  dropFaultListeners(currentSource)
  return exit
}

/** @param exit what ends the process, whoever has caused it */
export function holdProcess(app: FastifyInstance, drainMs: number, exit: Exit = refuseToEnd()): void {
  const { end, drain } = ending(app, drainMs, exit)
  const isHangUp = watchTerminal()
  const reload = (signal: NodeJS.Signals) => {
    if (isHangUp()) return drain(signal)
    app.log.info({ signal }, 'reloading')
    void app.toolrack.reload()
  }
  // Bound, since a tool file may have listened first: all listeners of a signal run as if they were its own.
  process.on('SIGTERM', AsyncResource.bind(drain)).on('SIGINT', AsyncResource.bind(drain))
  process.on('SIGHUP', AsyncResource.bind(reload))

  // The faults of tools and their files are reported where these run; any other leaves the process in an unknown state.
  process.on('uncaughtException', error => {
    if (currentSource() !== undefined) return
    app.log.fatal({ err: error }, 'uncaught error, draining')
    void end(1)
  })
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
