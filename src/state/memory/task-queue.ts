// The queue of one process: so many tasks at once, of each subject fewer; of those that wait, whoever has fewest running
// is next.
import type { RunTask, TaskQueue, Turn } from '../tasks.ts'

/** Tasks of one subject at once. */
export const MAX_RUNNING_OF_SUBJECT = 32
/** When a task comes again that could not run, since all that its tool may run at once are running, ms. */
export const COME_AGAIN_MS = 250

export interface QueueBounds {
  readonly max: number
  readonly maxOfSubject?: number
}

interface Lane {
  readonly max: number
  readonly waiting: Map<string, Turn>
  running: number
}

/** Once for each time that a task is to run. */
export const keyOf = ({ id, run }: Turn) => `${id}.${run}`

export function memoryTaskQueue({
  max,
  maxOfSubject = MAX_RUNNING_OF_SUBJECT,
}: QueueBounds): TaskQueue & { census(): Record<'running' | 'waiting', number> } {
  /** By client, in the order of their turns; of those only that have a task here. */
  const lanes = new Map<string, Lane>()
  const underWay = new Set<string>()
  const comingAgain = new Map<string, NodeJS.Timeout>()
  let isClosed = false
  let run: RunTask = async () => true

  function begin(turn: Turn, lane: Lane): void {
    const key = keyOf(turn)
    underWay.add(key)
    lane.running++
    void run(turn.id).then(isDone => {
      underWay.delete(key)
      lane.running--
      settle(turn.clientKey, lane)
      if (!isDone) comeAgain(turn)
      beginNext(lane)
    })
  }

  function comeAgain(turn: Turn): void {
    if (isClosed) return
    const key = keyOf(turn)
    const again = () => {
      comingAgain.delete(key)
      add(turn)
    }
    comingAgain.set(key, setTimeout(again, COME_AGAIN_MS).unref())
  }

  /** @param last whose task has ended */
  function beginNext(last: Lane): void {
    if (underWay.size >= max || isClosed) return
    const next = nextAfter(last)
    if (next === undefined) return
    const [clientKey, lane] = next
    const [key, turn] = lane.waiting.entries().next().value!
    lane.waiting.delete(key)
    // To the end: of those that have as many running, the others come first the next time.
    lanes.delete(clientKey)
    lanes.set(clientKey, lane)
    begin(turn, lane)
  }

  /** Whoever has fewest running; of equals, another than the last, and who was not served for longest. */
  function nextAfter(last: Lane): [clientKey: string, Lane] | undefined {
    let next: [string, Lane] | undefined
    let least = Number.POSITIVE_INFINITY
    for (const entry of lanes) {
      const [, lane] = entry
      const rank = 2 * lane.running + Number(lane === last)
      if (lane.waiting.size === 0 || lane.running >= lane.max || rank >= least) continue
      least = rank
      next = entry
      if (rank === 0) break
    }
    return next
  }

  function settle(clientKey: string, { waiting, running }: Lane): void {
    if (waiting.size + running === 0) lanes.delete(clientKey)
  }

  function laneOf({ clientKey, hasShare }: Turn): Lane {
    const lane = lanes.get(clientKey) ?? { waiting: new Map(), max: hasShare ? maxOfSubject : max, running: 0 }
    lanes.set(clientKey, lane)
    return lane
  }

  function add(turn: Turn): void {
    const key = keyOf(turn)
    if (isClosed || underWay.has(key) || comingAgain.has(key)) return
    const lane = laneOf(turn)
    if (underWay.size < max && lane.running < lane.max && lane.waiting.size === 0) begin(turn, lane)
    else lane.waiting.set(key, turn)
  }

  return {
    outlivesProcess: false,
    census() {
      const waiting = lanes.values().reduce((sum, lane) => sum + lane.waiting.size, comingAgain.size)
      return { running: underWay.size, waiting }
    },
    add,
    remove(turn) {
      const key = keyOf(turn)
      clearTimeout(comingAgain.get(key))
      comingAgain.delete(key)
      const lane = lanes.get(turn.clientKey)
      if (lane?.waiting.delete(key)) settle(turn.clientKey, lane)
    },
    onTask(runner) {
      run = runner
    },
    pause() {
      isClosed = true
      for (const timer of comingAgain.values()) clearTimeout(timer)
      comingAgain.clear()
      for (const { waiting } of lanes.values()) waiting.clear()
    },
    close() {},
  }
}
