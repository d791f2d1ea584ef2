// Spec 2025-11-25: basic/utilities/tasks, "Listing Tasks" and "Task Listing".
import t from 'tap'
import { type AppClient, open, session } from '../../../support/client/app-client.ts'
import {
  begin,
  cancel,
  gate,
  look,
  resultOf,
  type ToldTask,
  taskTool,
  withJob,
} from '../../../support/legacy/tasking.ts'

const idsOf = (tasks: ToldTask[]) => tasks.map(({ taskId }) => taskId)
const list = (client: AppClient, params?: object) => client.call('tasks/list', params)

/** Every page, by following the cursors. */
async function pages(client: AppClient): Promise<ToldTask[][]> {
  const all: ToldTask[][] = []
  for (let cursor: string | undefined; ; ) {
    const { result } = await list(client, cursor === undefined ? {} : { cursor })
    all.push(result.tasks)
    cursor = result.nextCursor
    if (cursor === undefined) return all
  }
}

async function several(client: AppClient, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push((await begin(client, 'job')).taskId)
  return ids
}

t.test('tasks/list: of a session without tasks it is empty', async t => {
  const client = await withJob(t, () => '')

  t.strictSame((await list(client)).result, { tasks: [] })
})

t.test('tasks/list: every task that tasks/get finds, and as it says them', async t => {
  const { handler, end } = gate()
  const never = taskTool('never', () => new Promise(() => {}))
  const fails = taskTool('fails', () => {
    throw new Error('no')
  })
  const client = await session(t, { tools: [taskTool('job', handler), never, fails] })
  const tasks = [await begin(client, 'job'), await begin(client, 'never'), await begin(client, 'fails')]
  const cancelled = await begin(client, 'never')
  end('done')
  for (const index of [0, 2]) await resultOf(client, tasks[index]!.taskId)
  await cancel(client, cancelled.taskId)

  const { result } = await list(client)

  const seen = await Promise.all([...tasks, cancelled].map(async ({ taskId }) => (await look(client, taskId)).result))
  const byId = (one: ToldTask, other: ToldTask) => (one.taskId < other.taskId ? -1 : 1)
  t.strictSame(result.tasks.sort(byId), seen.sort(byId))
  t.strictSame(result.tasks.map(({ status }: ToldTask) => status).sort(), [
    'cancelled',
    'completed',
    'failed',
    'working',
  ])
})

t.test('tasks/list: in pages, each task once, with a cursor while there are more', async t => {
  const client = await withJob(t, () => '', { pageSize: 2 })
  const ids = await several(client, 5)

  const told = await pages(client)

  t.strictSame(
    told.map(({ length }) => length),
    [2, 2, 1],
  )
  t.strictSame(idsOf(told.flat()).sort(), ids.sort())
})

t.test('tasks/list: a full last page has no cursor', async t => {
  const client = await withJob(t, () => '', { pageSize: 2 })
  await several(client, 4)

  t.strictSame(
    (await pages(client)).map(({ length }) => length),
    [2, 2],
  )
})

t.test('tasks/list: what is begun between two pages is on none before, and moves none', async t => {
  const client = await withJob(t, () => '', { pageSize: 2 })
  const ids = await several(client, 3)
  const { result: first } = await list(client)
  await new Promise(resolve => setTimeout(resolve, 5))
  const [late] = await several(client, 1)

  const { result: second } = await list(client, { cursor: first.nextCursor })

  t.strictSame(idsOf([...first.tasks, ...second.tasks]).sort(), [...ids, late].sort())
  t.equal(idsOf(second.tasks).at(-1), late)
})

t.test('tasks/list: a cursor that is none of this list is refused', async t => {
  const tools = ['a', 'b', 'job'].map(name => taskTool(name, () => ''))
  const client = await session(t, { tools, pageSize: 1 })
  await several(client, 2)
  const { nextCursor } = (await list(client)).result
  const ofTools = (await client.call('tools/list')).result.nextCursor
  const stranger = await open(t, client.app)
  await several(stranger, 2)

  for (const cursor of ['', 'x', `${nextCursor}x`, nextCursor.slice(1), ofTools]) {
    const { status, error } = await list(client, { cursor })
    t.match({ status, error }, { status: 200, error: { code: -32602, message: /^Invalid cursor/ } }, cursor)
  }
  t.match((await list(stranger, { cursor: nextCursor })).error, { code: -32602, message: /^Invalid cursor/ })
  t.match((await client.call('tools/list', { cursor: nextCursor })).error, { code: -32602 })
  for (const cursor of [7, null, {}]) t.match((await list(client, { cursor })).error, { code: -32602 })
  t.equal((await list(client, { cursor: nextCursor })).result.tasks.length, 1)
})
