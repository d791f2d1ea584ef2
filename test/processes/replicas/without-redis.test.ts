// Where there is no REDIS_URL, nothing of Redis is loaded; where there is one, it is, which shows that this is seen.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { NO_REDIS, redisServer } from '../../support/servers/redis-server.ts'

const run = promisify(execFile)
const OF_REDIS = /\/(?:ioredis|bullmq)\/|\/packages\/redis\//

// Modules are named by the loader when they are resolved, and CommonJS ones are in the cache, too.
const PROGRAM = `
import { createRequire, registerHooks } from 'node:module'
const loaded = new Set()
registerHooks({
  load(url, context, next) {
    loaded.add(url)
    return next(url, context)
  },
})
const { createServer, defineTool } = await import(process.argv[1])
const app = await createServer({
  logLevel: 'silent',
  drainMs: 0,
  redisUrl: process.env.TEST_REDIS_URL || undefined,
  tools: [defineTool({ name: 'job', task: 'optional', handler: () => 'done' })],
})
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {
  protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } } }
const headers = { host: 'localhost', accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
// Again where Redis did not answer in time, as it may not on a busy machine.
const served = async (headers, message) => {
  for (let tries = 1; ; tries++) {
    const reply = await app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message) })
    if (reply.statusCode !== 503 || tries === 150) return reply
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}
const opened = await served(headers, initialize)
const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'job', arguments: {}, task: {} } }
const session = { ...headers, 'mcp-session-id': opened.headers['mcp-session-id'], 'mcp-protocol-version': '2025-11-25' }
const begun = await served(session, call)
await app.close()
const cached = Object.keys(createRequire(import.meta.url).cache)
const told = JSON.stringify({ begun: JSON.parse(begun.body).result.task.status, loaded: [...loaded, ...cached] })
// A pipe takes it piece by piece.
process.stdout.write(told, () => process.exit(0))
`

async function loadedBy(environment: Record<string, string>): Promise<{ begun: string; ofRedis: string[] }> {
  const index = new URL('../../../src/index.ts', import.meta.url).href
  const env = { PATH: process.env['PATH'] ?? '', ...environment }
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', PROGRAM, index], { env })
  const { begun, loaded } = JSON.parse(stdout)
  return { begun, ofRedis: loaded.filter((name: string) => OF_REDIS.test(name)) }
}

t.test('without a Redis no module of ioredis, of bullmq or of ours for it is loaded', async t => {
  const { begun, ofRedis } = await loadedBy({})

  t.equal(begun, 'working')
  t.strictSame(ofRedis, [])
})

t.test('with one they are', { skip: NO_REDIS }, async t => {
  const { url } = await redisServer(t)

  const { begun, ofRedis } = await loadedBy({ TEST_REDIS_URL: url })

  t.equal(begun, 'working')
  for (const name of ['/ioredis/', '/bullmq/', '/packages/redis/'])
    t.ok(
      ofRedis.some(each => each.includes(name)),
      name,
    )
})
