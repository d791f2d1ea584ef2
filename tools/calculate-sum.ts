import { defineTool, Type } from 'toolrack'

export default defineTool({
  name: 'calculate_sum',
  title: 'Calculate sum',
  description: 'Adds two numbers. Example: { "a": 2, "b": 3 } gives 5.',
  inputSchema: Type.Object({
    a: Type.Number({ description: 'First addend' }),
    b: Type.Number({ description: 'Second addend' }),
  }),
  outputSchema: Type.Object({ sum: Type.Number() }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  handler({ a, b }) {
    return { sum: a + b }
  },
})
