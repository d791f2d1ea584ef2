// What the author of a store runs, on the stores in memory: a program of node:test.
import { memory, testState, testStore } from '../../../packages/state/index.ts'
import { MemoryEvents } from '../../../src/state/memory/events.ts'
import { MemorySessions } from '../../../src/state/memory/sessions.ts'
import { MemoryTaskQueue } from '../../../src/state/memory/task-queue.ts'
import { MemoryTasks } from '../../../src/state/memory/tasks.ts'

testState('memory', ({ sessions, events, tasks, taskQueue }) => ({
  ...memory(),
  sessions: new MemorySessions(sessions),
  events: new MemoryEvents(events),
  tasks: new MemoryTasks(tasks),
  taskQueue: new MemoryTaskQueue(taskQueue),
}))

testStore('tasks', 'unbounded', () => new MemoryTasks(), { isBounded: false })

testStore('usedTokens', 'forgetful', () => ({ consumeOnce: () => true, release() {} }))
