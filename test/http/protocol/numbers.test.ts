// `multipleOf`: decimal numbers are taken as they are written.
import fc from 'fast-check'
import t from 'tap'
import { compile } from '../../../packages/json-schema/src/validator.ts'
import { defineTool, Type } from '../../../src/index.ts'
import { build, callTool } from '../../support/app.ts'

const isMultiple = (value: number, multipleOf: number) => compile({ type: 'number', multipleOf }).isValid(value)

t.test('multipleOf: prices are multiples of a cent', async t => {
  for (const price of [19.99, 0.07, 4.35, 1.1, 0, -0.01, 1e15, 123456789.01]) t.ok(isMultiple(price, 0.01), `${price}`)
  for (const price of [0.001, 19.995, 4.355, 1e-7]) t.notOk(isMultiple(price, 0.01), `${price}`)
})

t.test('multipleOf: small and large numbers, and both together', async t => {
  t.ok(isMultiple(0.3, 0.1))
  t.ok(isMultiple(12391239123, 1e-8))
  t.ok(isMultiple(1e308, 0.5))
  t.ok(isMultiple(5e-324, 5e-324))
  t.ok(isMultiple(1.5, 1.5))
  t.ok(isMultiple(2 ** 53, 2))
  t.notOk(isMultiple(1e308, 0.123456789))
  t.notOk(isMultiple(1, 5e-324 * 3))
  t.notOk(isMultiple(7, 2))
})

t.test(
  'multipleOf: what is counted in steps of any decimal is a multiple of it, and half a step more is not',
  async t => {
    const steps = fc.tuple(fc.nat(1_000_000), fc.nat(9_998), fc.nat(8))
    fc.assert(
      fc.property(steps, ([count, digits, places]) => {
        const step = Number(`${digits + 1}e-${places}`)
        const value = Number(`${count * (digits + 1)}e-${places}`)
        const more = Number(`${(2 * count + 1) * (digits + 1) * 5}e-${places + 1}`)
        return isMultiple(value, step) && !isMultiple(more, step)
      }),
    )
    t.pass()
  },
)

t.test('multipleOf: the fault names the step', async t => {
  t.match(compile({ multipleOf: 0.01 }).issues(0.001), [
    { path: '(root)', pointer: '', expected: 'must be multiple of 0.01' },
  ])
})

t.test('multipleOf: a tool that returns a price keeps its result', async t => {
  const price = Type.Object({ price: Type.Number({ multipleOf: 0.01 }) })
  const app = await build(t, {
    tools: [defineTool({ name: 'price', inputSchema: price, outputSchema: price, handler: args => args })],
  })

  t.match(await callTool(app, 'price', { price: 19.99 }), { structuredContent: { price: 19.99 } })
  t.match(await callTool(app, 'price', { price: 19.999 }), { isError: true })
})
