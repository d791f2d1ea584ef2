// The seam of tasks for clients that do not support them: plain tools that find and end one.
import type { Access } from '../auth/access.ts'
import type { Definition } from '../registry/catalog.ts'
import type { Owners } from '../request/owners.ts'
import type { Task } from '../state/task.ts'
import type { TaskService } from './tasks.ts'

export interface TaskToolParts {
  readonly tasks: TaskService
  readonly access: Access
  readonly owners: Owners
}

export interface TaskTools {
  /** What a call says that continues as a task: how to go on. */
  describe(task: Task): string
  create(parts: TaskToolParts): readonly Definition[]
}
