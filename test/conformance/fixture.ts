// The server that the conformance suite expects: its tools, resources and prompts, over the public API only.
// Knows nothing of the suite's program. What needs a skill is not there yet.
import type { FastifyInstance } from 'fastify'
import { createServer, type ServerOptions } from '../../src/index.ts'
import { shedNoLoad } from '../support/shed-no-load.ts'
import { prompts } from './fixtures/prompts.ts'
import { resources } from './fixtures/resources.ts'
import { askTools } from './fixtures/tools-ask.ts'
import { changeTools } from './fixtures/tools-change.ts'
import { contentTools } from './fixtures/tools-content.ts'
import { formTools } from './fixtures/tools-forms.ts'
import { inputTools } from './fixtures/tools-input.ts'
import { nextTools } from './fixtures/tools-next.ts'
import { schemaTools } from './fixtures/tools-schema.ts'
import { streamTools } from './fixtures/tools-stream.ts'
import { taskTools } from './fixtures/tools-tasks.ts'

const tools = [
  ...contentTools,
  ...streamTools,
  ...askTools,
  ...formTools,
  ...inputTools,
  ...schemaTools,
  ...taskTools,
  ...nextTools,
]

/** Listens on 127.0.0.1. @param port 0 for a free one @returns the server, and the URL of its endpoint */
export async function serveFixture(
  port: number,
  options: ServerOptions = {},
): Promise<{ app: FastifyInstance; url: string }> {
  const app = await createServer({
    name: 'toolrack-conformance',
    version: '1.0.0',
    tools,
    resources,
    prompts,
    ...options,
    rateLimit: { max: 100_000, ...options.rateLimit },
    tasks: { inlineMs: 0, ...options.tasks },
  })
  shedNoLoad(app).toolrack.add(changeTools(app))
  return { app, url: `${await app.listen({ host: '127.0.0.1', port })}/mcp` }
}
