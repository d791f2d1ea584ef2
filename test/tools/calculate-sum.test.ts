import t from 'tap'
import { build, callTool } from '../helper.ts'
import { errorOf, SHIPPED } from './shipped.ts'

t.test('calculate_sum: adds two numbers', async t => {
  const app = await build(t, SHIPPED)

  const result = await callTool(app, 'calculate_sum', { a: 2, b: -3.5 })

  t.strictSame(result.structuredContent, { sum: -1.5 })
})

t.test('calculate_sum: the sum of the largest numbers is an error that says why', async t => {
  const app = await build(t, SHIPPED)

  const result = await callTool(app, 'calculate_sum', { a: -Number.MAX_VALUE, b: -Number.MAX_VALUE })

  t.equal(
    errorOf(result),
    'The sum is beyond ±1.7976931348623157e+308, the largest number here. Call again with smaller ones.',
  )
})

t.test('calculate_sum: a number as text is refused by name', async t => {
  const app = await build(t, SHIPPED)

  const result = await callTool(app, 'calculate_sum', { a: '2', b: 3 })

  t.match(errorOf(result), /\ba must be number/)
})
