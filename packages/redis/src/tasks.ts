// The task store of all replicas: a hash per task. A version in it detects concurrent steps.
import { jitterRetryAfter } from 'toolrack/protocol'
import {
  clientTasksTooLarge,
  END_RESERVE_BYTES,
  hasEnded,
  isVisibleChange,
  McpError,
  parseTaskRecord,
  TASK_SWEEP_MS,
  type Task,
  type TaskPosition,
  type TaskStep,
  type TaskStore,
  tooManyClientTasks,
  tooManyTasks,
  USAGE_BOUNDS,
  type UsageBounds,
} from 'toolrack/stores'
import type { RedisClient } from './client.ts'
import type { RedisPubSub } from './pubsub.ts'
import { hashIdentity, ignoreWrongType, parseRecord, toRecord } from './record.ts'
import { CHANGE, CREATE, MAY_CREATE, REMOVE, SWEEP } from './task-scripts.ts'

/** Maximum number of waiting pieces of work per name. */
const MAX_WAITING = 1000

interface KeyQueue {
  last: Promise<unknown>
  waiting: number
}

/** Runs work of the same name one at a time, so that a process does not conflict with itself. */
export class KeyedMutex {
  readonly #queues = new Map<string, KeyQueue>()

  /** @throws McpError BUSY (503) if too many wait for the same name */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(name) ?? { last: Promise.resolve(), waiting: 0 }
    if (queue.waiting >= MAX_WAITING)
      throw new McpError('BUSY', 'too many concurrent changes; retry', { retryAfterS: jitterRetryAfter(2) })
    this.#queues.set(name, queue)
    queue.waiting++
    const result = queue.last.then(work)
    queue.last = result.catch(() => {})
    try {
      return await result
    } finally {
      if (--queue.waiting === 0) this.#queues.delete(name)
    }
  }
}

/** Concurrent steps of other replicas before a step is given up. */
const MAX_CONFLICTS = 100
const TOPIC = 'tasks'
/** Bytes from which the store checks the room before it sends a task. */
const LARGE = 64 * 1024

export class RedisTasks implements TaskStore {
  readonly backend: RedisClient
  readonly maxTasks: number
  readonly #pubsub: RedisPubSub
  readonly #bounds: UsageBounds
  readonly #channel: string
  readonly #mutex = new KeyedMutex()
  #sweeping: NodeJS.Timeout | undefined

  constructor(redis: RedisClient, pubsub: RedisPubSub, bounds: Partial<UsageBounds> = {}) {
    redis.define('toolrackMayCreateTask', 4, `${MAY_CREATE} return 0`)
    redis.define('toolrackCreateTask', 5, CREATE)
    redis.define('toolrackChangeTask', 4, CHANGE)
    redis.define('toolrackRemoveTask', 5, REMOVE)
    redis.define('toolrackSweepTasks', 4, SWEEP)
    this.backend = redis
    this.#pubsub = pubsub
    this.#bounds = { ...USAGE_BOUNDS, ...bounds }
    this.#channel = pubsub.channel(TOPIC)
    this.maxTasks = this.#bounds.maxTasks
    redis.onStart(() => void (this.#sweeping = setInterval(() => this.#sweep(), TASK_SWEEP_MS).unref()))
    redis.onClose(() => clearInterval(this.#sweeping))
  }

  async create(task: Task): Promise<void> {
    const { id, clientKey, size, version, ttlMs, owner } = task
    const { maxTasksPerClient, maxSizePerClient, maxTasks, maxSize, maxShareOfFree } = this.#bounds
    const keys = [...this.#getTaskKeys(id), this.#listKey(owner)]
    const bounds = [maxTasksPerClient, maxSizePerClient, maxTasks, maxSize, maxShareOfFree]
    const asked = [this.#channel, id, hashIdentity(clientKey), size, ...bounds]
    // A large task that would be refused is not sent: other commands would wait behind it.
    if (size > LARGE) assertTaken(await this.backend.script('toolrackMayCreateTask', this.#getTaskKeys(id), asked))
    const place = owner === undefined ? '' : toListMember(task)
    assertTaken(
      await this.backend.script('toolrackCreateTask', keys, [...asked, version, toRecord(task), ttlMs, place]),
    )
  }

  async find(id: string): Promise<Task | undefined> {
    return parseTask(id, await ignoreWrongType(this.backend.run(client => client.hget(this.#getTaskKey(id), 'json'))))
  }

  change(id: string, step: TaskStep): Promise<Task | undefined> {
    return this.#mutex.run(id, () => this.#change(id, step))
  }

  async remove(id: string): Promise<void> {
    const task = await this.find(id)
    if (task === undefined) return
    const keys = [...this.#getTaskKeys(id), this.#listKey(task.owner)]
    const args = [id, toListMember(task), this.#channel, JSON.stringify([id, task.session ?? null])]
    await this.backend.script('toolrackRemoveTask', keys, args)
  }

  async list(owner: string, size: number, after?: TaskPosition): Promise<Task[]> {
    const found: Task[] = []
    let last = after && toListMember(after)
    while (found.length < size) {
      const places = await this.#listAfter(owner, last, size)
      if (places.length === 0) break
      last = places.at(-1)
      const tasks = await Promise.all(places.map(place => this.find(parseListMember(place))))
      const expired = places.filter((_place, index) => tasks[index] === undefined)
      if (expired.length > 0) await this.backend.run(client => client.zrem(this.#listKey(owner), ...expired))
      found.push(...tasks.filter(task => task !== undefined).filter(task => task.owner === owner && task.isHandedOut))
    }
    return found.slice(0, size)
  }

  onChange(
    listener: (id: string, task: Task | undefined) => void,
    isWanted: (id: string, session: string | undefined) => boolean = () => true,
  ): void {
    this.#pubsub.subscribe(TOPIC, message => {
      const [id, session] = Array.isArray(message) ? message : []
      if (typeof id !== 'string' || !isWanted(id, typeof session === 'string' ? session : undefined)) return
      // If the read fails, the task is read again when Redis answers.
      this.find(id).then(
        task => listener(id, task),
        () => {},
      )
    })
  }

  // A change that is announced while nothing can be read counts as missed, too.
  onMissed(listener: () => void): void {
    this.#pubsub.onResubscribed(listener)
    this.backend.onRecovered(listener)
  }

  // The states are in the tasks, and there are too many tasks to read them for a count.
  async count(): Promise<Partial<Record<'kept', number>>> {
    return { kept: await this.backend.run(client => client.zcard(this.backend.key('tasks'))) }
  }

  async #change(id: string, step: TaskStep): Promise<Task | undefined> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const { task, version } = await this.#read(id)
      const next = task && step(task)
      if (task === undefined || next === undefined) return undefined
      const saved = await this.#save(task, next, version)
      if (saved === 'too much') throw clientTasksTooLarge()
      if (saved === 'gone') return undefined
      if (saved === 'done') return next
    }
    throw new McpError('STATE_UNAVAILABLE', 'too many concurrent changes of this task; retry', { retryAfterS: 1 })
  }

  /**
   * Compares the version as it stands in Redis, even if damaged, because saving needs the same text.
   */
  async #read(id: string): Promise<{ task: Task | undefined; version: string }> {
    const reading = this.backend.run(client => client.hmget(this.#getTaskKey(id), 'json', 'version'))
    const [json, version] = (await ignoreWrongType(reading)) ?? []
    return { task: parseTask(id, json), version: version ?? '' }
  }

  #save(read: Task, next: Task, readVersion: string): Promise<unknown> {
    const { id, clientKey, version, size, session = null } = next
    const { maxSizePerClient, maxSize, maxShareOfFree } = this.#bounds
    const alwaysAdded = hasEnded(next) ? END_RESERVE_BYTES : 0
    const news = isVisibleChange(read, next) ? JSON.stringify([id, session]) : ''
    const own = [this.#channel, id, hashIdentity(clientKey), size, version, toRecord(next)]
    const bounds = [maxSizePerClient, maxSize]
    const args = [...own, readVersion, ...bounds, read.ttlMs - next.ttlMs, news, maxShareOfFree, alwaysAdded]
    return this.backend.script('toolrackChangeTask', this.#getTaskKeys(id), args)
  }

  async #listAfter(owner: string, last: string | undefined, most: number): Promise<string[]> {
    const from = last === undefined ? '-' : `(${last}`
    const range = this.backend.run(client => client.zrange(this.#listKey(owner), from, '+', 'BYLEX', 'LIMIT', 0, most))
    return (await ignoreWrongType(range)) ?? []
  }

  // Redis expires tasks by itself and does not announce it.
  #sweep(): void {
    this.backend.script('toolrackSweepTasks', this.#getTaskKeys(''), [this.#channel]).catch(() => {})
  }

  #getTaskKey(id: string): string {
    return this.backend.key('task', id)
  }

  #getTaskKeys(id: string): string[] {
    const redis = this.backend
    return [this.#getTaskKey(id), redis.key('tasks'), redis.key('task-holds'), redis.key('task-usage')]
  }

  // The owner is hashed, so that key names do not reveal it.
  #listKey(owner: string | undefined): string {
    return this.backend.key('tasks-of-owner', hashIdentity(owner ?? ''))
  }
}

function assertTaken(refused: unknown): void {
  if (refused === 1) throw tooManyClientTasks()
  if (refused === 2) throw tooManyTasks()
  if (refused === 3) throw clientTasksTooLarge()
}

const parseTask = (id: string, text: unknown): Task | undefined => parseTaskRecord(id, parseRecord(text))

// The time is padded, so that the order of members as text is the order of creation.
const toListMember = ({ createdAtMs, id }: TaskPosition) => `${String(createdAtMs).padStart(15, '0')} ${id}`
const parseListMember = (place: string) => place.slice(16)
