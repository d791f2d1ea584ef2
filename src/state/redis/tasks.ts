// Tasks for all replicas: a hash each, with the version by which concurrent steps are told apart.
import { McpError } from '../../protocol/errors.ts'
import { hasEnded, isNews, type Task, type TaskStatus, type TaskStep } from '../../task.ts'
import { MAX_SWEEP_MS } from '../memory/tasks.ts'
import {
  ALWAYS_ADDED,
  tooManyOfClient,
  tooManyTasks,
  tooMuchOfClient,
  USAGE_BOUNDS,
  type UsageBounds,
} from '../task-bounds.ts'
import type { TaskPosition, TaskStore } from '../tasks.ts'
import type { RedisBus } from './bus.ts'
import { readable, unwrap, wrap } from './envelope.ts'
import { hidden } from './hidden.ts'
import type { RedisLink } from './link.ts'
import { OneByOne } from './one-by-one.ts'
import { CHANGE, CREATE, MAY_CREATE, REMOVE, SWEEP } from './task-scripts.ts'

/** Steps that other replicas may take at the same time before one is given up. */
const MAX_CONFLICTS = 100
const TOPIC = 'tasks'
/** A task of so many bytes is sent only where there is room for it. */
const LARGE = 64 * 1024

const STATUSES: ReadonlySet<unknown> = new Set<TaskStatus>([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
])

export class RedisTasks implements TaskStore {
  readonly #link: RedisLink
  readonly #bus: RedisBus
  readonly #bounds: UsageBounds
  readonly #channel: string
  readonly #steps = new OneByOne()
  readonly #sweeping: NodeJS.Timeout

  constructor(link: RedisLink, bus: RedisBus, bounds: Partial<UsageBounds> = {}) {
    link.define('toolrackMayCreateTask', 4, `${MAY_CREATE} return 0`)
    link.define('toolrackCreateTask', 5, CREATE)
    link.define('toolrackChangeTask', 4, CHANGE)
    link.define('toolrackRemoveTask', 5, REMOVE)
    link.define('toolrackSweepTasks', 4, SWEEP)
    this.#link = link
    this.#bus = bus
    this.#bounds = { ...USAGE_BOUNDS, ...bounds }
    this.#channel = bus.channel(TOPIC)
    this.#sweeping = setInterval(() => this.#sweep(), MAX_SWEEP_MS).unref()
  }

  async create(task: Task): Promise<void> {
    const { id, clientKey, size, version, ttlMs, owner } = task
    const { maxTasksOfClient, maxSizeOfClient, maxTasks, maxSize, shareOfFree } = this.#bounds
    const keys = [...this.#keysOf(id), this.#listKey(owner)]
    const bounds = [maxTasksOfClient, maxSizeOfClient, maxTasks, maxSize, shareOfFree]
    const asked = [this.#channel, id, hidden(clientKey), size, ...bounds]
    // What is refused need not be sent: others wait for their answers behind it.
    if (size > LARGE) assertTaken(await this.#link.script('toolrackMayCreateTask', this.#keysOf(id), asked))
    const place = owner === undefined ? '' : placeOf(task)
    assertTaken(await this.#link.script('toolrackCreateTask', keys, [...asked, version, wrap(task), ttlMs, place]))
  }

  async find(id: string): Promise<Task | undefined> {
    return taskOf(id, await readable(this.#link.run(client => client.hget(this.#keyOf(id), 'json'))))
  }

  change(id: string, step: TaskStep): Promise<Task | undefined> {
    return this.#steps.do(id, () => this.#change(id, step))
  }

  async remove(id: string): Promise<void> {
    const task = await this.find(id)
    if (task === undefined) return
    const keys = [...this.#keysOf(id), this.#listKey(task.owner)]
    const args = [id, placeOf(task), this.#channel, JSON.stringify([id, task.session ?? null])]
    await this.#link.script('toolrackRemoveTask', keys, args)
  }

  async list(owner: string, size: number, after?: TaskPosition): Promise<Task[]> {
    const found: Task[] = []
    let last = after && placeOf(after)
    while (found.length < size) {
      const places = await this.#placesBehind(owner, last, size)
      if (places.length === 0) break
      last = places.at(-1)
      const tasks = await Promise.all(places.map(place => this.find(idAt(place))))
      const expired = places.filter((_place, index) => tasks[index] === undefined)
      if (expired.length > 0) await this.#link.run(client => client.zrem(this.#listKey(owner), ...expired))
      found.push(...tasks.filter(task => task !== undefined).filter(task => task.owner === owner && task.isHandedOut))
    }
    return found.slice(0, size)
  }

  onChange(
    listener: (id: string, task: Task | undefined) => void,
    isWanted: (id: string, session: string | undefined) => boolean = () => true,
  ): void {
    this.#bus.on(TOPIC, message => {
      const [id, session] = Array.isArray(message) ? message : []
      if (typeof id !== 'string' || !isWanted(id, typeof session === 'string' ? session : undefined)) return
      // What cannot be read now is looked at again when Redis answers.
      this.find(id).then(
        task => listener(id, task),
        () => {},
      )
    })
  }

  // What was heard of while nothing could be read was missed too.
  onMissed(listener: () => void): void {
    this.#bus.onMissed(listener)
    this.#link.onReturn(listener)
  }

  close(): void {
    clearInterval(this.#sweeping)
  }

  async #change(id: string, step: TaskStep): Promise<Task | undefined> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const { task, version } = await this.#read(id)
      const next = task && step(task)
      if (task === undefined || next === undefined) return undefined
      const saved = await this.#save(task, next, version)
      if (saved === 'too much') throw tooMuchOfClient()
      if (saved === 'gone') return undefined
      if (saved === 'done') return next
    }
    throw new McpError('STATE_UNAVAILABLE', 'too many change this task at once; retry', { retryAfterS: 1 })
  }

  /** With its version as it stands there, whatever somebody has made of it: it only has to be the same when it is saved. */
  async #read(id: string): Promise<{ task: Task | undefined; version: string }> {
    const reading = this.#link.run(client => client.hmget(this.#keyOf(id), 'json', 'version'))
    const [json, version] = (await readable(reading)) ?? []
    return { task: taskOf(id, json), version: version ?? '' }
  }

  #save(read: Task, next: Task, readVersion: string): Promise<unknown> {
    const { id, clientKey, version, size, session = null } = next
    const { maxSizeOfClient, maxSize, shareOfFree } = this.#bounds
    const alwaysAdded = hasEnded(next) ? ALWAYS_ADDED : 0
    const news = isNews(read, next) ? JSON.stringify([id, session]) : ''
    const own = [this.#channel, id, hidden(clientKey), size, version, wrap(next)]
    const bounds = [maxSizeOfClient, maxSize]
    const args = [...own, readVersion, ...bounds, read.ttlMs - next.ttlMs, news, shareOfFree, alwaysAdded]
    return this.#link.script('toolrackChangeTask', this.#keysOf(id), args)
  }

  async #placesBehind(owner: string, last: string | undefined, most: number): Promise<string[]> {
    const from = last === undefined ? '-' : `(${last}`
    const range = this.#link.run(client => client.zrange(this.#listKey(owner), from, '+', 'BYLEX', 'LIMIT', 0, most))
    return (await readable(range)) ?? []
  }

  // Redis forgets them by itself, and tells nobody.
  #sweep(): void {
    this.#link.script('toolrackSweepTasks', this.#keysOf(''), [this.#channel]).catch(() => {})
  }

  #keyOf(id: string): string {
    return this.#link.key('task', id)
  }

  #keysOf(id: string): string[] {
    const link = this.#link
    return [this.#keyOf(id), link.key('tasks'), link.key('task-holds'), link.key('task-usage')]
  }

  // Who it is, is nobody's business there.
  #listKey(owner: string | undefined): string {
    return this.#link.key('tasks-of-owner', hidden(owner ?? ''))
  }
}

function assertTaken(refused: unknown): void {
  if (refused === 1) throw tooManyOfClient()
  if (refused === 2) throw tooManyTasks()
  if (refused === 3) throw tooMuchOfClient()
}

const taskOf = (id: string, text: unknown): Task | undefined => {
  const task = unwrap(text) as unknown as Task | undefined
  return task?.id === id && STATUSES.has(task.status) && hasNumbers(task) ? task : undefined
}

const MAX_TIME_MS = 8.64e15
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isTime = (value: unknown) => isCount(value) && (value as number) <= MAX_TIME_MS

/** Each of them is reckoned with, or told: one that is none would end in a fault of ours. */
function hasNumbers({ version, size, run, turn, rounds, ttlMs, createdAtMs, updatedAtMs }: Task): boolean {
  return [version, size, run, turn, rounds, ttlMs].every(isCount) && isTime(createdAtMs) && isTime(updatedAtMs)
}

// So that they are in order as text: the time in as many digits.
const placeOf = ({ createdAtMs, id }: TaskPosition) => `${String(createdAtMs).padStart(15, '0')} ${id}`
const idAt = (place: string) => place.slice(16)
