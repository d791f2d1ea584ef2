// Handlers of prompts and resources take the same slots as calls of tools.
import t from 'tap'
import { definePrompt, defineResource } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'

t.test('a resource is read within the slots of the process, and gives its slot back', async t => {
  const entered = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<string>()
  const slow = defineResource({
    uri: 'x://slow',
    name: 'slow',
    handler() {
      entered.resolve()
      return gate.promise
    },
  })
  const quick = definePrompt({ name: 'quick', handler: () => 'hello' })
  const app = await build(t, {
    resources: [slow],
    prompts: [quick],
    limits: { maxConcurrentCalls: 1, maxQueuedCalls: 0 },
  })
  const reading = call(app, 'resources/read', { uri: 'x://slow' })
  await entered.promise

  const refused = await call(app, 'prompts/get', { name: 'quick' })
  gate.resolve('text')
  const read = await reading
  const served = await call(app, 'prompts/get', { name: 'quick' })

  t.match(refused, { status: 503, error: { code: 50300 } })
  t.match(read.result, { contents: [{ text: 'text' }] })
  t.match(served.result, { messages: [{ content: { text: 'hello' } }] })
})

t.test('a handler that throws gives its slot back', async t => {
  const broken = definePrompt({
    name: 'broken',
    handler() {
      throw new Error('no')
    },
  })
  const app = await build(t, { prompts: [broken], limits: { maxConcurrentCalls: 1, maxQueuedCalls: 0 } })

  for (let n = 0; n < 3; n++) t.match((await call(app, 'prompts/get', { name: 'broken' })).error, { code: -32603 })
})
