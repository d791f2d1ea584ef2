// Tools that need a task, and clients that know none: one for each way in which such a client speaks.
import type { Test } from 'tap'
import { defineTool, type ServerOptions, Type } from '../../../src/index.ts'
import { type App, build, call } from '../app.ts'
import { open } from '../client/app-client.ts'
import { merged } from '../merged.ts'
import { type Handler, tool } from '../steered-tools.ts'

export const VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const
export type Version = (typeof VERSIONS)[number]

/** Answers with its sentence as soon as it has had its first turn. */
export const TOLD: ServerOptions = { tasks: { fallbackTools: true, inlineMs: 0 } }

export interface Listed {
  name: string
  outputSchema?: object
  execution?: { taskSupport: string }
}

export interface Told {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results freely; their shape is checked
  result?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  error?: any
}

/** A client without the extension. */
export interface PlainClient {
  tools(): Promise<Listed[]>
  call(name: string, args?: object): Promise<Told>
}

export async function plainClient(
  t: Test,
  app: App,
  { version, headers = {} }: { version: Version; headers?: Record<string, string> },
): Promise<PlainClient> {
  if (version === '2026-07-28') {
    return {
      tools: async () => (await call(app, 'tools/list', {}, { headers })).result.tools,
      call: (name, args = {}) => call(app, 'tools/call', { name, arguments: args }, { headers }),
    }
  }
  const session = await open(t, app, { revision: version, headers, capabilities: {} })
  return {
    tools: async () => (await session.call('tools/list', {}, headers)).result.tools,
    call: (name, args = {}) => session.call('tools/call', { name, arguments: args }, headers),
  }
}

export async function rack(t: Test, version: Version, tools: object[], options: ServerOptions = {}) {
  const app = await build(t, merged({ tools: tools as ServerOptions['tools'] & object, ...TOLD }, options))
  return { app, client: await plainClient(t, app, { version }) }
}

export const textOf = ({ result }: Told): string => result.content[0].text

/** The id that the sentence names. */
export function idOf(told: Told): string {
  const [, id] = /goes on as task ([\w-]+)\./.exec(textOf(told)) ?? []
  if (id === undefined) throw new Error(`no task: ${textOf(told)}`)
  return id
}

/** Needs a task; ends when the test lets it. */
export function gatedReport(more: object = {}) {
  const started = Promise.withResolvers<AbortSignal>()
  const gate = Promise.withResolvers<void>()
  const report = defineTool({
    name: 'report',
    task: 'required',
    outputSchema: Type.Object({ pages: Type.Number() }),
    ...more,
    async handler(_args, { signal, progress }) {
      progress(1, 3, 'Reading')
      started.resolve(signal)
      await gate.promise
      return { pages: 7 }
    },
  })
  return { report, started: started.promise, open: gate.resolve }
}

/** Needs a task, and is beyond its first turn before it does anything. */
export const later = (name: string, handler: Handler, more: object = {}) =>
  tool(
    name,
    async (ctx, args) => {
      await new Promise(resolve => setTimeout(resolve, 20))
      return handler(ctx, args)
    },
    { task: 'required', ...more },
  )
