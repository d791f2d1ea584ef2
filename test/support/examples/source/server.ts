import Fastify from 'fastify'
import toolrack from 'toolrack'
import { hide, prefix } from 'toolrack/source'
import { McpTools } from './mcp.ts'

const app = Fastify()
await app.register(toolrack, {
  sources: [prefix('crm_', hide(['delete_*'], new McpTools('http://127.0.0.1:4000/mcp')))],
})
