import { defineTool, file, Type, text } from 'toolrack'

export default defineTool({
  name: 'export_orders',
  description: 'Gives the orders of a year as a CSV file. Example: { "year": 2026 }.',
  inputSchema: Type.Object({ year: Type.Integer({ minimum: 2000, maximum: 2100 }) }),
  annotations: { readOnlyHint: true },
  handler({ year }) {
    const rows = Array.from({ length: 5_000 }, (_, index) => `${year}-${index + 1},open,12.50`)
    const csv = ['order,state,total', ...rows].join('\n')
    return [text(`${rows.length} orders of ${year}`), file(csv, { name: `orders-${year}.csv`, mimeType: 'text/csv' })]
  },
})
