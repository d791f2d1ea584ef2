// What `docker compose up` serves, until TOOLS names a folder of yours.
export default {
  name: 'hello',
  description: 'Says hello. Example: { "name": "Ada" }.',
  inputSchema: { type: 'object', properties: { name: { type: 'string', maxLength: 100 } }, required: ['name'] },
  annotations: { readOnlyHint: true },
  handler: ({ name }) => `Hello, ${name}!`,
}
