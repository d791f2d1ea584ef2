// Progress of a task of 2025-11-25, as the official client hears of it: by the listener of the call that began it.
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js'
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { until } from '../../support/clients/connect.ts'
import { serveSdk1, TRANSPORTS } from '../../support/clients/connect-sdk1.ts'

for (const over of TRANSPORTS) {
  t.test(`SDK 1.x over ${over}: the progress of a task comes behind its handle`, async t => {
    const begun = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<string>()
    const steps = defineTool({
      name: 'steps',
      task: 'optional',
      async handler(_args, ctx) {
        await begun.promise
        ctx.progress(1, 2, 'one')
        return ended.promise
      },
    })
    const { client, http } = await serveSdk1(t, { tools: [steps] }, { over })
    await until(() => http.of('GET')[0]?.status === 200, 'the stream of news')
    const told: object[] = []
    const call = { method: 'tools/call', params: { name: 'steps' } } as const
    const options = { task: {}, onprogress: (step: object) => void told.push(step) }
    const { task } = await client.request(call, CreateTaskResultSchema, options)

    begun.resolve()
    await until(() => told.length > 0, 'the progress')
    ended.resolve('done')

    t.match(await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema), {
      content: [{ text: 'done' }],
    })
    t.match(told, [{ progress: 1, total: 2, message: 'one' }])
  })
}
