// Sessions and tasks on another database, as a user writes them by `toolrack/state` alone: rows of
// text in a table, each read and write in a turn of its own.
import {
  type Backend,
  createSessionId,
  isVisibleChange,
  type NewSession,
  parseSessionRecord,
  type Session,
  type SessionStore,
  type StoreContext,
  type Task,
  type TaskPosition,
  type TaskStep,
  type TaskStore,
  toSessionRecord,
} from '../../../packages/toolrack/state.ts'

interface Row {
  readonly text: string
  readonly untilMs: number
}

/** Outlives the servers that use it. */
export class Table {
  readonly rows = new Map<string, Row>()

  async read(key: string): Promise<string | undefined> {
    await Promise.resolve()
    const row = this.rows.get(key)
    return row !== undefined && row.untilMs > Date.now() ? row.text : undefined
  }

  async write(key: string, text: string, untilMs: number): Promise<void> {
    await Promise.resolve()
    this.rows.set(key, { text, untilMs })
  }
}

/** The connection of both stores. */
export class Ledger implements Backend {
  readonly name = 'the ledger'
  readonly outlivesProcess = true
  readonly table: Table
  readonly calls: string[] = []
  context: StoreContext | undefined

  constructor(table: Table = new Table()) {
    this.table = table
  }

  start(context: StoreContext): void {
    this.calls.push('start')
    this.context = context
  }

  close(): void {
    this.calls.push('close')
  }
}

export class LedgerSessions implements SessionStore {
  readonly backend: Ledger

  constructor(ledger: Ledger) {
    this.backend = ledger
  }

  async open({ id = createSessionId(), ...opening }: NewSession): Promise<Session> {
    const session: Session = { id, ...opening, logLevel: undefined, subscriptions: undefined }
    await this.#write(session)
    return session
  }

  async find(id: string): Promise<Session | undefined> {
    const session = await this.peek(id)
    if (session !== undefined) await this.#write(session)
    return session
  }

  async peek(id: string): Promise<Session | undefined> {
    const text = await this.backend.table.read(`session ${id}`)
    return text === undefined ? undefined : parseSessionRecord(id, JSON.parse(text))
  }

  async has(id: string): Promise<boolean> {
    return (await this.peek(id)) !== undefined
  }

  async save(session: Session): Promise<void> {
    if (await this.has(session.id)) await this.#write(session)
  }

  async end(id: string): Promise<void> {
    this.backend.table.rows.delete(`session ${id}`)
  }

  #write(session: Session): Promise<void> {
    const { table, context } = this.backend
    const text = JSON.stringify(toSessionRecord(session))
    return table.write(`session ${session.id}`, text, Date.now() + context!.sessionTtlMs)
  }
}

export class LedgerTasks implements TaskStore {
  readonly backend: Ledger
  #last: Promise<unknown> = Promise.resolve()
  #listener: (id: string, task: Task | undefined) => void = () => {}

  constructor(ledger: Ledger) {
    this.backend = ledger
  }

  create(task: Task): Promise<void> {
    return this.#write(task)
  }

  async find(id: string): Promise<Task | undefined> {
    const text = await this.backend.table.read(`task ${id}`)
    return text === undefined ? undefined : JSON.parse(text)
  }

  /** One step after the other, so that none is taken on a task that has changed meanwhile. */
  change(id: string, step: TaskStep): Promise<Task | undefined> {
    const change = this.#last.then(() => this.#change(id, step))
    this.#last = change.catch(() => {})
    return change
  }

  async remove(id: string): Promise<void> {
    if (this.backend.table.rows.delete(`task ${id}`)) this.#listener(id, undefined)
  }

  async list(owner: string, size: number, after?: TaskPosition): Promise<Task[]> {
    const ids = [...this.backend.table.rows.keys()].filter(key => key.startsWith('task '))
    const tasks = await Promise.all(ids.map(key => this.find(key.slice('task '.length))))
    const compare = (a: TaskPosition, b: TaskPosition) =>
      a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : Number(a.id > b.id))
    return tasks
      .filter(task => task !== undefined)
      .filter(task => task.owner === owner && task.isHandedOut && (after === undefined || compare(task, after) > 0))
      .sort(compare)
      .slice(0, size)
  }

  onChange(listener: (id: string, task: Task | undefined) => void): void {
    this.#listener = listener
  }

  async #change(id: string, step: TaskStep): Promise<Task | undefined> {
    const task = await this.find(id)
    const next = task && step(task)
    if (next === undefined) return undefined
    await this.#write(next)
    if (isVisibleChange(task!, next)) this.#listener(id, next)
    return next
  }

  #write(task: Task): Promise<void> {
    return this.backend.table.write(`task ${task.id}`, JSON.stringify(task), task.createdAtMs + task.ttlMs)
  }
}
