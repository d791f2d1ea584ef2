// A task keeps nothing of its caller's token.
import { inspect } from 'node:util'
import t from 'tap'
import { MemoryTasks } from '../../../packages/memory/src/tasks.ts'
import type { Task } from '../../../src/state/task.ts'
import type { TaskQueue } from '../../../src/state/task-queue.ts'
import type { TaskStore } from '../../../src/state/tasks.ts'
import { TaskService } from '../../../src/tasks/tasks.ts'
import { bearer, form, guarded, SECRET } from '../../support/auth/guarded.ts'
import { fakeExchange, fakeTool } from '../../support/fakes.ts'
import { accept } from '../../support/input/rounds.ts'
import { override } from '../../support/override.ts'
import { ABLE_AND_TASKS, job, nextTurn, taskFrom, update, whenAsking, whenEnded } from '../../support/tasks/modern.ts'

const settings = { tasks: { inlineMs: 0 }, drainMs: 20, resources: [], prompts: [] }
const options = (headers: Record<string, string>) => ({ headers, capabilities: ABLE_AND_TASKS })

const token = bearer('read', { sub: 'alice', jti: 'canary-of-the-token' }).authorization
const pieces = [token.slice(7), ...token.slice(7).split('.').slice(1), SECRET, 'canary-of-the-token']
const leaks = (text: string) => pieces.filter(piece => text.includes(piece))
const all = (value: unknown) =>
  inspect(value, { depth: 12, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null })

t.test('B31: the token of a call is in no task, answer, log or audit', async t => {
  const records: string[] = []
  const app = await guarded(t, {
    ...settings,
    logLevel: 'trace',
    tools: [
      job('looks', async (ctx, args) => {
        await nextTurn()
        records.push(all(ctx), all(args), all(ctx.caller), all(ctx.meta))
        const { content } = await ctx.elicit('word', { message: 'The word?', requestedSchema: form })
        return { caller: ctx.caller, answer: content, meta: ctx.meta }
      }),
      job('throws', ctx => {
        throw new Error(`failed for ${all(ctx)}`)
      }),
    ],
  })
  const headers = { authorization: token }
  const taskId = await taskFrom(app, 'looks', {}, options(headers))
  const answers: unknown[] = [await whenAsking(app, taskId, options(headers))]

  await update(app, { taskId, inputResponses: { word: accept({ word: 'x' }) } }, options(headers))

  answers.push(await whenEnded(app, taskId, options(headers)))
  answers.push(await whenEnded(app, await taskFrom(app, 'throws', {}, options(headers)), options(headers)))
  t.match(JSON.stringify(answers), /subject.{1,5}alice/, 'what was seen is the caller')
  t.equal(records.length, 8)
  for (const text of [records.join(), JSON.stringify(answers), app.logs.text, app.audit.text])
    t.strictSame(leaks(text), [])
  t.match(app.audit.text, /"outcome":"task"/)
})

t.test('B31: what the store keeps of a call has no header of its request', async t => {
  const kept: Task[] = []
  const store = new MemoryTasks()
  const create = (task: Task) => {
    kept.push(task)
    return store.create(task)
  }
  const recording: TaskStore = override(store, { create })
  t.teardown(() => store.close())
  const queue = { add() {}, onTask() {} } as unknown as TaskQueue
  const tasks = new TaskService(recording, queue, { ttlMs: 60_000, inlineMs: 0 })
  const exchange = fakeExchange({
    headers: { authorization: token, cookie: 'canary-of-the-token' },
    caller: { subject: 'alice', issuer: 'https://as.example', scopes: ['read'] },
  })

  await tasks.open({ tool: fakeTool(), exchange, owner: 'alice', answers: {}, isHandedOut: true })

  t.equal(kept.length, 1)
  t.match(all(kept), /alice/)
  t.strictSame(leaks(all(kept)), [])
})
