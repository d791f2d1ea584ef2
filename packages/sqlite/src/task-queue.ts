// The task queue in the file. If the process ends, the next one runs the tasks that wait or run. The
// queue in memory decides whose turn it is.
import { MemoryTaskQueue, type QueueBounds, type QueueEntry, type RunTask, type TaskQueue } from 'toolrack/stores'
import type { Row, StateFile } from './file.ts'

/** While this process lives, no other process takes over an entry. */
const NEVER_LOST = new AbortController().signal

export class SqliteTaskQueue implements TaskQueue {
  readonly backend: StateFile
  readonly #turns: MemoryTaskQueue

  constructor(file: StateFile, bounds: QueueBounds = {}) {
    this.backend = file
    this.#turns = new MemoryTaskQueue(bounds)
    file.addChores({ open: context => this.#turns.start(context) })
  }

  add(entry: QueueEntry): void {
    const { id, run, clientKey, hasQuota } = entry
    const sql = 'INSERT INTO queue (id, run, client, has_quota) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'
    this.backend.run(sql, id, run, clientKey, Number(hasQuota))
    this.#turns.add(entry)
  }

  remove(entry: QueueEntry): void {
    // A running entry stays until its end: if the process is killed, the next one must run it.
    if (!this.#turns.isRunning(entry)) this.#forget(entry)
    this.#turns.remove(entry)
  }

  onTask(run: RunTask): void {
    this.#turns.onEntry(async entry => {
      const isDone = await run(entry.id, { run: entry.run, lost: NEVER_LOST })
      // If an entry is not removed now, it is handed out once more, and its task has ended then.
      if (isDone) this.backend.tryTo(() => this.#forget(entry))
      return isDone
    })
    for (const row of this.backend.all('SELECT * FROM queue ORDER BY number')) this.#turns.add(parseEntry(row))
  }

  pause(): void {
    this.#turns.pause()
  }

  count(): Record<'running' | 'waiting', number> {
    return this.#turns.count()
  }

  #forget({ id, run }: QueueEntry): void {
    this.backend.run('DELETE FROM queue WHERE id = ? AND run = ?', id, run)
  }
}

const parseEntry = ({ id, run, client, has_quota }: Row): QueueEntry => ({
  id: String(id),
  run: Number(run),
  clientKey: String(client),
  hasQuota: has_quota === 1,
})
