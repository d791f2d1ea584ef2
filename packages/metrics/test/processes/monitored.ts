// A server that has something to show in every panel, and a load that has it shown.
import type { Test } from 'tap'
import { defineTool, ToolError } from '../../../../src/index.ts'
import { type App, call, listening, request, stream } from '../../../../test/support/app.ts'
import { open } from '../../../../test/support/client/app-client.ts'
import { ABLE_AND_TASKS, job, nextTurn } from '../../../../test/support/tasks/modern.ts'

const TOOLS = [
  defineTool({ name: 'fine', inputSchema: { type: 'object' }, handler: () => 'fine' }),
  defineTool({
    name: 'fails',
    handler: () => {
      throw new ToolError('no')
    },
  }),
  defineTool({
    name: 'leaves',
    handler: () => {
      setTimeout(() => Promise.reject(new Error('late')), 1)
      return 'done'
    },
  }),
  job('long', () => nextTurn()),
]

export interface Monitored {
  readonly app: App
  /** As Prometheus names it. */
  readonly address: string
  /** Calls for so long. @returns how many of the tool `fine` were answered */
  load(durationMs: number): Promise<number>
}

export async function monitored(t: Test): Promise<Monitored> {
  const { app, url, port } = await listening(t, {
    tools: TOOLS,
    tasks: { inlineMs: 0 },
    rateLimit: { max: 1_000_000 },
    logLevel: 'fatal',
  })
  await open(t, app)
  const listener = await stream(t, url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  await listener.next(0)

  async function send(name: string): Promise<void> {
    const { message, headers } = request('tools/call', { name, arguments: {} })
    const { host: _, ...rest } = headers
    await (await fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message) })).text()
  }

  async function load(durationMs: number): Promise<number> {
    const endMs = performance.now() + durationMs
    let answered = 0
    for (let turn = 0; performance.now() < endMs; turn++) {
      await Promise.all(Array.from({ length: 8 }, () => send('fine')))
      answered += 8
      if (turn % 10 > 0) continue
      for (const name of ['fails', 'leaves']) await send(name)
      await call(app, 'tools/call', { name: 'long', arguments: {} }, { capabilities: ABLE_AND_TASKS })
      await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' })
    }
    return answered
  }

  return { app, address: `127.0.0.1:${port}`, load }
}
