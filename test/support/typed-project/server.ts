// A program that serves what other files define.
import Fastify from 'fastify'
import toolrack, { createServer, type Definition, type ToolDefinition, type ToolrackOptions } from 'toolrack'
import arktype from './arktype.js'
import jsonSchema, { plain } from './json-schema.js'
import prompt from './prompts.js'
import questions from './questions.js'
import resources from './resources.js'
import typebox from './typebox.js'
import typebox1 from './typebox-1.js'
import valibot from './valibot.js'
import zod, { wholeOrValue } from './zod.js'
import mini from './zod-mini.js'

export const list = [zod, wholeOrValue, mini, valibot, arktype, typebox, typebox1, jsonSchema, plain, questions]
export const tools: ToolDefinition[] = list
export const definitions: readonly Definition[] = [...list, prompt, ...resources]
export const options: ToolrackOptions = {
  tools: list,
  prompts: [prompt],
  resources,
  jwt: { secret: process.env['JWT_SECRET'] },
  visible: (tool, caller) => tool.scopes.every(scope => caller?.scopes.includes(scope)),
}

export const app = await createServer({ tools: [zod, { name: 'echo', handler: () => 'text' }], port: 0 })
app.toolrack.add(definitions)

export const host = Fastify()
await host.register(toolrack, options)
// @ts-expect-error: an option that is unknown
await host.register(toolrack, { toolz: [] })
