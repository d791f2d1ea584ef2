// The parts of a server with a tool or more, and tasks that nobody called for.

import { defineTool, type ToolDefinition } from '../../../src/index.ts'
import type { Task } from '../../../src/state/task.ts'
import { type FakeLog, fakeExchange, fakeLog } from '../fakes.ts'
import { assembled } from '../runtime.ts'

export function partsWith(...tools: ToolDefinition[]) {
  const log: FakeLog = fakeLog()
  const parts = assembled('parts', log as never)
  const { catalog, tasks } = parts
  const definitions = tools.map(tool => defineTool({ task: 'optional', ...tool }))
  parts.code.add(definitions)
  const open = (name: string): Promise<Task> => {
    const tool = catalog.tools.find(name)!
    const exchange = fakeExchange({ params: { name, arguments: {} } })
    return tasks.open({ tool, exchange, owner: undefined, answers: {}, isHandedOut: true })
  }
  return { ...parts, tasks, log, open }
}
