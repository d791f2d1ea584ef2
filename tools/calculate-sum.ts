import { defineTool, ToolError, Type } from 'toolrack'

export default defineTool({
  name: 'calculate_sum',
  title: 'Calculate Sum',
  description: 'Add two numbers together. Example: { "a": 2, "b": 3 } gives { "sum": 5 }.',
  inputSchema: Type.Object(
    {
      a: Type.Number({ description: 'First addend' }),
      b: Type.Number({ description: 'Second addend' }),
    },
    { additionalProperties: false },
  ),
  outputSchema: Type.Object({ sum: Type.Number() }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  handler({ a, b }) {
    const sum = a + b
    if (Number.isFinite(sum)) return { sum }
    throw new ToolError(
      `The sum is beyond ±${Number.MAX_VALUE}, the largest number here. Call again with smaller ones.`,
    )
  },
})
