// The server that is attacked, in a process of its own, with access control, both eras and HTTP+SSE:
// `node --expose-gc test/processes/attack/server.ts`. Says where it listens, and what it holds whenever it is asked.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, definePrompt, defineResource, defineTool, type ToolContext, Type } from '../../../src/index.ts'
import { RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { shedNoLoad } from '../../support/shed-no-load.ts'

export interface Held {
  readonly heap: number
  readonly rss: number
  /** The most that was resident since the start. */
  readonly peakRss: number
}

const form = { type: 'object' as const, properties: { word: { type: 'string' as const } } }

/** Of a subject that calls in many tenants, the tenant. */
const nameOf = ({ caller }: Pick<ToolContext, 'caller'>) => String(caller?.claims?.['tenant'] ?? caller?.subject)

const tools = [
  defineTool({
    name: 'echo',
    inputSchema: Type.Object({ message: Type.Unknown() }),
    handler: ({ message }) => String(JSON.stringify(message)),
  }),
  {
    name: 'typed',
    inputSchema: {
      type: 'object',
      properties: { count: { type: 'integer' }, when: { format: 'date' }, tags: { type: 'array', maxItems: 3 } },
      additionalProperties: false,
    },
    handler: (args: object) => args,
  },
  {
    name: 'asks',
    inputSchema: { type: 'object', properties: { mark: { type: 'string' } } },
    async handler({ mark }: { mark?: string }, ctx: ToolContext) {
      const { content } = await ctx.elicit('k', { message: `${nameOf(ctx)} ${mark}`, requestedSchema: form })
      return `${nameOf(ctx)} ${mark} ${JSON.stringify(content)}`
    },
  },
  defineTool({
    name: 'whose',
    inputSchema: Type.Object({ mark: Type.String(), waitMs: Type.Integer() }),
    async handler({ mark, waitMs }, ctx) {
      ctx.progress(1, 2, `${nameOf(ctx)} ${mark}`)
      if (waitMs > 0) await sleep(waitMs)
      return `${nameOf(ctx)} ${mark}`
    },
  }),
  defineTool({
    name: 'behalf',
    handler: async (_args, { caller }) => (await caller!.tokenFor({ audience: 'reports' })).split('.')[1],
  }),
  defineTool({
    name: 'kept',
    task: 'optional',
    inputSchema: Type.Object({ text: Type.String() }),
    handler: ({ text }) => text,
  }),
  defineTool({ name: 'of_even', scopes: ['even'], handler: (_args, ctx) => nameOf(ctx) }),
  defineTool({ name: 'of_odd', scopes: ['odd'], handler: (_args, ctx) => nameOf(ctx) }),
]

/** Gives tokens that name the caller, for a second: so that many are kept, and many are exchanged again. */
const authority = http.createServer(async (request, response) => {
  const [, payload = ''] = new URLSearchParams(await text(request)).get('subject_token')!.split('.')
  const { sub, tenant = sub } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const token = { access_token: `${randomUUID()}.${tenant}`, token_type: 'Bearer', expires_in: 2 }
  response.setHeader('content-type', 'application/json').end(JSON.stringify(token))
})
authority.listen(0, '127.0.0.1')
await once(authority, 'listening')

const app = await createServer({
  tools: tools as never,
  resources: [
    defineResource({ uri: 'memory://a', name: 'a', handler: () => 'a' }),
    defineResource({
      uriTemplate: 'item:{id}',
      name: 'item',
      complete: { id: value => [`${value}1`] },
      handler: uri => uri,
    }),
  ],
  prompts: [
    definePrompt({
      name: 'hello',
      arguments: [{ name: 'who', complete: (value: string) => [`${value}b`] }],
      handler: ({ who }) => `Hello ${who}`,
    }),
  ],
  jwt: { secret: SECRET, claims: { tenant: 'tenant' } },
  tenantClaim: 'tenant',
  tokenExchange: {
    url: `http://127.0.0.1:${(authority.address() as AddressInfo).port}/token`,
    clientId: 'attacked',
    clientSecret: randomUUID(),
  },
  publicUrl: RESOURCE,
  httpSse: true,
  logLevel: 'error',
  rateLimit: { max: 1e9 },
  // What hostile handshakes have opened goes as fast as it may.
  sessions: { ttlMs: Number(process.env['SESSION_TTL_MS'] ?? 3_600_000) },
  tasks: { ttlMs: Number(process.env['TASK_TTL_MS'] ?? 3_600_000), inlineMs: 0 },
  redis: { url: process.env['ATTACKED_REDIS_URL'] },
})

process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  // In KiB.
  const peakRss = process.resourceUsage().maxRSS * 1024
  process.send?.({ heap, rss, peakRss } satisfies Held)
})

process.send?.(await shedNoLoad(app).listen({ host: '127.0.0.1', port: 0 }))
