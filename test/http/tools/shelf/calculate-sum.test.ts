import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import type { ToolDefinition } from '../../../../src/registry/tool-definition.ts'
import { build, call, callTool } from '../../../support/app.ts'
import { errorOf, serve, toolModule } from '../../../support/tools/shipped.ts'

t.test('calculate_sum: adds two numbers', async t => {
  const app = await serve(t, 'calculate_sum')

  const result = await callTool(app, 'calculate_sum', { a: 2, b: -3.5 })

  t.strictSame(result.structuredContent, { sum: -1.5 })
})

t.test('calculate_sum: the sum of the largest numbers is an error that says why', async t => {
  const app = await serve(t, 'calculate_sum')

  const result = await callTool(app, 'calculate_sum', { a: -Number.MAX_VALUE, b: -Number.MAX_VALUE })

  t.equal(
    errorOf(result),
    'The sum is beyond ±1.7976931348623157e+308, the largest number here. Call again with smaller ones.',
  )
})

t.test('calculate_sum: a number as text is refused by name', async t => {
  const app = await serve(t, 'calculate_sum')

  const result = await callTool(app, 'calculate_sum', { a: '2', b: 3 })

  t.match(errorOf(result), /\ba must be number/)
})

t.test('calculate_sum: its twin in draft-07 says and does the same', async t => {
  const { default: sum } = await toolModule<{ default: ToolDefinition }>('calculate-sum.ts')
  const $schema = 'http://json-schema.org/draft-07/schema#'
  const twin = defineTool({ ...sum, name: 'twin', inputSchema: { $schema, ...sum.inputSchema } })
  const app = await build(t, { tools: [sum, twin] })
  const say = (text: string) => text.replace('calculate_sum', 'twin')

  const { tools } = (await call(app, 'tools/list')).result

  t.strictSame(tools[1].inputSchema, { $schema, ...tools[0].inputSchema })
  for (const args of [
    { a: 2, b: 3 },
    { a: 0.1, b: 0.2 },
  ]) {
    t.strictSame(await callTool(app, 'twin', args), await callTool(app, 'calculate_sum', args))
  }
  for (const args of [{}, { a: 1 }, { a: '1', b: 2 }, { a: 1, b: null }, { a: 1, b: 2, c: 3 }]) {
    t.equal(errorOf(await callTool(app, 'twin', args)), say(errorOf(await callTool(app, 'calculate_sum', args))))
  }
})
