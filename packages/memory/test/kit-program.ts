// What the author of a store runs, on the stores in memory: a program of node:test.
import { McpError, memory, type Task, testState, testStore } from '../../toolrack/state.ts'
import { MemoryEvents } from '../src/events.ts'
import { MemorySessions } from '../src/sessions.ts'
import { MemoryTaskQueue } from '../src/task-queue.ts'
import { MemoryTasks } from '../src/tasks.ts'

testState('memory', ({ sessions, events, tasks, taskQueue }) => ({
  ...memory(),
  sessions: new MemorySessions(sessions),
  events: new MemoryEvents(events),
  tasks: new MemoryTasks(tasks),
  taskQueue: new MemoryTaskQueue(taskQueue),
}))

testStore('tasks', 'unbounded', () => new MemoryTasks(), { isBounded: false })

/** It knows of no session when that expires. */
testStore('sessions', 'silent', ({ sessions }) => Object.assign(new MemorySessions(sessions), { onExpired: undefined }))

class CurtTasks extends MemoryTasks {
  override create(task: Task): void {
    try {
      super.create(task)
    } catch {
      throw new McpError('RATE_LIMITED')
    }
  }
}
testStore('tasks', 'curt', ({ tasks }) => new CurtTasks(tasks))

testStore('usedTokens', 'forgetful', () => ({ consumeOnce: () => true, release() {} }))
