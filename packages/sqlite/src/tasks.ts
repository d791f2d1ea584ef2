// Tasks in the file. A step reads, decides and writes within one turn, so two steps never conflict.
import {
  assertStepFits,
  assertTaskFits,
  hasEnded,
  isVisibleChange,
  parseObject,
  parseTaskRecord,
  type Task,
  type TaskPosition,
  type TaskStatus,
  type TaskStep,
  type TaskStore,
  TaskUsage,
  USAGE_BOUNDS,
  type UsageBounds,
} from 'toolrack/stores'
import type { Row, StateFile } from './file.ts'

const SWEPT_AT_ONCE = 1000

export interface SqliteTaskBounds extends Partial<UsageBounds> {
  readonly now?: () => number
}

export class SqliteTasks implements TaskStore {
  readonly backend: StateFile
  readonly maxTasks: number
  readonly #bounds: UsageBounds
  readonly #now: () => number
  #usage = new TaskUsage()
  #changed: (id: string, task: Task | undefined) => void = () => {}
  #missed: () => void = () => {}

  constructor(file: StateFile, { now = Date.now, ...bounds }: SqliteTaskBounds = {}) {
    this.backend = file
    this.#bounds = { ...USAGE_BOUNDS, ...bounds }
    this.#now = now
    this.maxTasks = this.#bounds.maxTasks
    file.addChores({ open: () => this.#open(), sweep: () => this.#sweep() })
  }

  create(task: Task): void {
    const { id, clientKey, owner = null, isHandedOut, createdAtMs, ttlMs, status, size } = task
    assertTaskFits(this.#bounds, this.#usage.read(clientKey), task)
    const values = [id, clientKey, owner, Number(isHandedOut), createdAtMs, this.#now() + ttlMs, status, size]
    this.backend.run('INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', ...values, JSON.stringify(task))
    this.#usage.add(clientKey, 1, size)
  }

  find(id: string): Task | undefined {
    const row = this.backend.get('SELECT * FROM tasks WHERE id = ?', id)
    if (row === undefined || Number(row['expires_at']) > this.#now()) return parseTask(row)
    return void this.#drop(row)
  }

  change(id: string, step: TaskStep): Task | undefined {
    const task = this.find(id)
    const next = task && step(task)
    if (task === undefined || next === undefined) return undefined
    assertStepFits(this.#bounds, this.#usage.read(next.clientKey), task, next)
    const sql = `UPDATE tasks SET is_handed_out = ?, expires_at = expires_at + ?, status = ?, size = ?, record = ?
      WHERE id = ?`
    const values = [Number(next.isHandedOut), next.ttlMs - task.ttlMs, next.status, next.size, JSON.stringify(next)]
    const save = () => this.backend.run(sql, ...values, id)
    if (hasEnded(next)) this.backend.insist(save)
    else save()
    this.#usage.add(next.clientKey, 0, next.size - task.size)
    if (isVisibleChange(task, next)) this.#changed(id, next)
    return next
  }

  remove(id: string): void {
    const row = this.backend.get('SELECT * FROM tasks WHERE id = ?', id)
    if (row !== undefined) this.#drop(row)
  }

  list(owner: string, size: number, after: TaskPosition = { createdAtMs: -1, id: '' }): Task[] {
    const sql = `SELECT * FROM tasks WHERE owner = ? AND is_handed_out = 1 AND expires_at > ?
      AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`
    const rows = this.backend.all(sql, owner, this.#now(), after.createdAtMs, after.id, size)
    return rows.map(parseTask).filter(task => task !== undefined)
  }

  onChange(listener: (id: string, task: Task | undefined) => void): void {
    this.#changed = listener
  }

  /** A new file has other tasks. */
  onMissed(listener: () => void): void {
    this.#missed = listener
  }

  count(): Partial<Record<TaskStatus, number>> {
    const rows = this.backend.all('SELECT status, count(*) AS count FROM tasks GROUP BY status')
    const none = { working: 0, input_required: 0, completed: 0, failed: 0, cancelled: 0 }
    return { ...none, ...Object.fromEntries(rows.map(({ status, count }) => [String(status), Number(count)])) }
  }

  #open(): void {
    this.#usage = new TaskUsage()
    for (const row of this.backend.all(
      'SELECT client, count(*) AS count, sum(size) AS size FROM tasks GROUP BY client',
    ))
      this.#usage.add(String(row['client']), Number(row['count']), Number(row['size']))
    this.#missed()
  }

  #drop({ id, client, size }: Row): void {
    this.backend.run('DELETE FROM tasks WHERE id = ?', String(id))
    this.#usage.add(String(client), -1, -Number(size))
    this.backend.tell(() => this.#changed(String(id), undefined))
  }

  #sweep(): void {
    const sql = `SELECT id, client, size FROM tasks WHERE expires_at <= ? LIMIT ${SWEPT_AT_ONCE}`
    for (const row of this.backend.all(sql, this.#now())) this.#drop(row)
  }
}

const parseTask = (row: Row | undefined): Task | undefined =>
  row && parseTaskRecord(String(row['id']), parseObject(row['record']))
