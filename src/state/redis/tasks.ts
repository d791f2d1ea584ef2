// Tasks for all replicas: a hash each, with the version by which concurrent steps are told apart.
import { McpError } from '../../protocol/errors.ts'
import { spreadRetry } from '../../retry.ts'
import { isNews, type Task, type TaskStatus, type TaskStep } from '../../task.ts'
import {
  MAX_SIZE,
  MAX_SIZE_OF_CLIENT,
  MAX_SWEEP_MS,
  MAX_TASKS,
  MAX_TASKS_OF_CLIENT,
  type TaskBounds,
} from '../memory/tasks.ts'
import type { TaskPosition, TaskStore } from '../tasks.ts'
import type { RedisBus } from './bus.ts'
import { readable, unwrap, wrap } from './envelope.ts'
import { hidden } from './hidden.ts'
import type { RedisLink } from './link.ts'
import { OneByOne } from './one-by-one.ts'
import { CHANGE, CREATE, REMOVE, SWEEP } from './task-scripts.ts'

/** Steps that other replicas may take at the same time before one is given up. */
const MAX_CONFLICTS = 100
const TOPIC = 'tasks'
const STATUSES: ReadonlySet<unknown> = new Set<TaskStatus>([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
])

export function redisTasks(
  link: RedisLink,
  bus: RedisBus,
  {
    maxTasks = MAX_TASKS,
    maxTasksOfClient = MAX_TASKS_OF_CLIENT,
    maxSize = MAX_SIZE,
    maxSizeOfClient = MAX_SIZE_OF_CLIENT,
  }: Omit<TaskBounds, 'now'> = {},
): TaskStore {
  link.define('toolrackCreateTask', 5, CREATE)
  link.define('toolrackChangeTask', 4, CHANGE)
  link.define('toolrackRemoveTask', 5, REMOVE)
  link.define('toolrackSweepTasks', 4, SWEEP)
  const steps = new OneByOne()
  const channel = bus.channel(TOPIC)
  const keyOf = (id: string) => link.key('task', id)
  const keysOf = (id: string) => [keyOf(id), link.key('tasks'), link.key('task-holds'), link.key('task-usage')]
  const listKey = (owner: string | undefined) => link.key('tasks-of-owner', hidden(owner ?? ''))

  async function find(id: string): Promise<Task | undefined> {
    return taskOf(id, await readable(link.run(client => client.hget(keyOf(id), 'json'))))
  }

  async function save(read: Task, next: Task): Promise<unknown> {
    const { id, clientKey, version, size, session = null } = next
    const news = isNews(read, next) ? JSON.stringify([id, session]) : ''
    const bounds = [maxSizeOfClient, maxSize]
    return link.script('toolrackChangeTask', keysOf(id), [
      channel,
      id,
      hidden(clientKey),
      size,
      version,
      wrap(next),
      read.version,
      ...bounds,
      read.ttlMs - next.ttlMs,
      news,
    ])
  }

  async function change(id: string, step: TaskStep): Promise<Task | undefined> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const read = await find(id)
      const next = read && step(read)
      if (read === undefined || next === undefined) return undefined
      const saved = await save(read, next)
      if (saved === 'too much') throw tooMuch()
      if (saved === 'gone') return undefined
      if (saved === 'done') return next
    }
    throw new McpError('STATE_UNAVAILABLE', 'too many change this task at once; retry', { retryAfterS: 1 })
  }

  // Redis forgets them by itself, and tells nobody.
  const sweep = () => void link.script('toolrackSweepTasks', keysOf(''), [channel]).catch(() => {})
  const sweeping = setInterval(sweep, MAX_SWEEP_MS).unref()

  return {
    async create(task) {
      const { id, clientKey, size, version, ttlMs, owner } = task
      const bounds = [maxTasksOfClient, maxSizeOfClient, maxTasks, maxSize]
      const refused = await link.script(
        'toolrackCreateTask',
        [...keysOf(id), listKey(owner)],
        [
          channel,
          id,
          hidden(clientKey),
          size,
          version,
          wrap(task),
          ttlMs,
          ...bounds,
          owner === undefined ? '' : placeOf(task),
        ],
      )
      if (refused === 1) throw tooManyOfClient()
      if (refused === 2) throw tooMany()
    },
    find,
    change: (id, step) => steps.do(id, () => change(id, step)),
    async remove(id) {
      const task = await find(id)
      if (task === undefined) return
      const args = [id, placeOf(task), channel, JSON.stringify([id, task.session ?? null])]
      await link.script('toolrackRemoveTask', [...keysOf(id), listKey(task.owner)], args)
    },
    async list(owner, size, after) {
      const found: Task[] = []
      let from = after === undefined ? '-' : `(${placeOf(after)}`
      while (found.length < size) {
        const range = link.run(client => client.zrange(listKey(owner), from, '+', 'BYLEX', 'LIMIT', 0, size))
        const places = (await readable(range)) ?? []
        if (places.length === 0) break
        from = `(${places.at(-1)}`
        const tasks = await Promise.all(places.map(place => find(idAt(place))))
        const expired = places.filter((_place, index) => tasks[index] === undefined)
        if (expired.length > 0) await link.run(client => client.zrem(listKey(owner), ...expired))
        found.push(
          ...tasks.filter(task => task !== undefined && task.owner === owner && task.isHandedOut).map(task => task!),
        )
      }
      return found.slice(0, size)
    },
    onChange(listener, isWanted = () => true) {
      bus.on(TOPIC, message => {
        const [id, session] = Array.isArray(message) ? message : []
        if (typeof id !== 'string' || !isWanted(id, typeof session === 'string' ? session : undefined)) return
        // What cannot be read now is looked at again when Redis answers.
        find(id).then(
          task => listener(id, task),
          () => {},
        )
      })
    },
    // What was heard of while nothing could be read was missed too.
    onMissed(listener) {
      bus.onMissed(listener)
      link.onReturn(listener)
    },
    close: () => clearInterval(sweeping),
  }
}

// Who it is, is nobody's business there.

const taskOf = (id: string, text: unknown): Task | undefined => {
  const task = unwrap(text) as unknown as Task | undefined
  return task?.id === id && Number.isSafeInteger(task.version) && STATUSES.has(task.status) ? task : undefined
}

// So that they are in order as text: the time in as many digits.
const placeOf = ({ createdAtMs, id }: TaskPosition) => `${String(createdAtMs).padStart(15, '0')} ${id}`
const idAt = (place: string) => place.slice(16)

const tooManyOfClient = () =>
  new McpError('RATE_LIMITED', 'too many tasks are kept for this client; cancel some, or wait for their end', {
    retryAfterS: spreadRetry(30),
  })
const tooMuch = () =>
  new McpError('RATE_LIMITED', 'the tasks of this client hold too much', { retryAfterS: spreadRetry(30) })
const tooMany = () => new McpError('BUSY', 'too many tasks are kept; retry later', { retryAfterS: spreadRetry(30) })
