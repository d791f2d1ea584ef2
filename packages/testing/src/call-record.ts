// Everything that a client gets during one call: progress and log messages, of its requests and its
// task.
import type { LogLevel } from 'toolrack'
import { Progress } from 'toolrack/execution'
import type { DetachedStream, Exchange, NotificationSink, ProgressListener } from 'toolrack/protocol'

/** A progress report of a tool. */
export interface ProgressReport {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** A log entry of a tool. */
export interface LogEntry {
  readonly level: LogLevel
  /** The content of the entry: a message, or `{ message, data }`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into entries freely
  readonly data: any
}

export class CallRecord implements NotificationSink {
  readonly progress: ProgressReport[] = []
  readonly logs: LogEntry[] = []

  send(json: string): boolean {
    const { method, params } = JSON.parse(json)
    if (method === 'notifications/progress') {
      const { progressToken: _, ...report } = params
      this.progress.push(report)
    } else if (method === 'notifications/message') this.logs.push({ level: params.level, data: params.data })
    return true
  }

  /** A record takes everything at once. */
  onDrain(): void {}

  detach(): DetachedStream {
    throw new Error('a call keeps no stream open')
  }

  /** A client would get less from a task: its newest progress, as text. A test gets everything. */
  listenTo(task: Exchange): Exchange {
    const { progressToken } = task.meta
    const heard = progressToken === undefined ? undefined : new Progress(this, progressToken)
    return { ...task, sink: this, logLevel: 'debug', progress: tee(task.progress, heard) }
  }
}

function tee(one: ProgressListener | undefined, other: ProgressListener | undefined): ProgressListener {
  return {
    report(progress, total, message) {
      one?.report(progress, total, message)
      other?.report(progress, total, message)
    },
    close() {
      one?.close()
      other?.close()
    },
  }
}
