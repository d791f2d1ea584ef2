import t from 'tap'
import { build, call } from '../helper.ts'
import { SHIPPED } from './shipped.ts'

interface Listed {
  name: string
  title?: string
  description: string
  inputSchema: { additionalProperties?: boolean }
  outputSchema?: object
  annotations: object
}

async function listed(t: Parameters<typeof build>[0]): Promise<Listed[]> {
  return (await call(await build(t, SHIPPED), 'tools/list')).result.tools
}

t.test('the tools folder serves its four tools, and no helper of theirs', async t => {
  const app = await build(t, SHIPPED)

  const { result } = await call(app, 'tools/list')

  t.strictSame(
    result.tools.map(({ name }: Listed) => name),
    ['analyze_csv', 'calculate_sum', 'get_current_time', 'get_weather'],
  )
  t.strictSame(
    app.logs.lines.filter(({ level }) => level >= 40),
    [],
  )
})

t.test('every shipped tool has a title, an example and an output schema, and takes no unknown argument', async t => {
  const tools = await listed(t)

  for (const { name, title, description, inputSchema, outputSchema } of tools) {
    t.ok(title, name)
    t.match(description, /Examples?: \{ "/, name)
    t.ok(outputSchema, name)
    t.equal(inputSchema.additionalProperties, false, name)
  }
})

t.test('every shipped tool only reads, and only the weather comes from outside', async t => {
  const tools = await listed(t)

  t.strictSame(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations])), {
    analyze_csv: { readOnlyHint: true, openWorldHint: false },
    calculate_sum: { readOnlyHint: true, openWorldHint: false },
    get_current_time: { readOnlyHint: true, openWorldHint: false },
    get_weather: { readOnlyHint: true, openWorldHint: true },
  })
})
