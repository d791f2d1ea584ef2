// Every official client, in every mode that it has, with one face: what one of them is promised, all are.
import {
  Client as Client2,
  type ClientOptions as Options2,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { Client as Client1, ClientOptions as Options1 } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { type App, listening, VERSION } from '../app.ts'
import { tapped } from './connect.ts'
import { MODES } from './connect-mode.ts'
import { serveSdk1, TRANSPORTS } from './connect-sdk1.ts'
import { faultsOf } from './faults.ts'
import { type Recorder, recorder } from './recorder.ts'

const ASKED = {
  'elicitation/create': ElicitRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'roots/list': ListRootsRequestSchema,
}

const TOLD = {
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/tools/list_changed': ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': PromptListChangedNotificationSchema,
  'notifications/resources/list_changed': ResourceListChangedNotificationSchema,
  'notifications/resources/updated': ResourceUpdatedNotificationSchema,
}

/** What a client answers when it is asked, by method. */
// biome-ignore lint/suspicious/noExplicitAny: tests answer freely; the client checks what it sends
type Answers = { readonly [method in keyof typeof ASKED]?: (params: any) => unknown }

export interface EveryOptions {
  readonly capabilities?: object
  readonly answers?: Answers
  /** What the client is told, by method. */
  onNotification?(method: string, params: unknown): void
  readonly listChanged?: Options1['listChanged'] & Options2['listChanged']
}

/** The methods that all of them have, as the newest has them. */
export type EveryClient = Pick<
  Client2,
  | 'callTool'
  | 'close'
  | 'complete'
  | 'getInstructions'
  | 'getPrompt'
  | 'getServerCapabilities'
  | 'getServerVersion'
  | 'listPrompts'
  | 'listResources'
  | 'listResourceTemplates'
  | 'listTools'
  | 'readResource'
>

export interface Connected {
  readonly app: App
  readonly url: string
  readonly client: EveryClient
  readonly http: Recorder
  /** What the client's `onerror` was told: a test ends with none. */
  readonly faults: Error[]
  /** A request as it is written, and its result as it comes, whatever the client makes of it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results freely
  request(method: string, params?: Record<string, unknown>): Promise<any>
  /** Says that its folders are others now. */
  rootsChanged(): Promise<void>
}

export interface Kind {
  readonly name: string
  readonly sdk: 1 | 2
  /** The revision that it speaks with this server. */
  readonly version: string
  /** Whether it speaks the newest revision, which has no handshake and no sessions. */
  readonly isModern: boolean
  /** A server, and a client that is connected to it; both close with the test. */
  connect(t: Test, server: ServerOptions, options?: EveryOptions): Promise<Connected>
}

const OF_SDK1 = TRANSPORTS.map(
  (over): Kind => ({
    name: `SDK 1.x over ${over}`,
    sdk: 1,
    version: '2025-11-25',
    isModern: false,
    async connect(t, server, { answers = {}, onNotification, ...options } = {}) {
      const prepare = (client: Client1) => {
        for (const [method, answer] of Object.entries(answers))
          client.setRequestHandler(ASKED[method as keyof typeof ASKED], ({ params }) => answer(params) as object)
        if (onNotification === undefined) return
        for (const [method, schema] of Object.entries(TOLD))
          client.setNotificationHandler(schema, ({ params }) => onNotification(method, params))
      }
      const connected = await serveSdk1(t, server, { over, prepare, ...options })
      const request = (method: string, params?: Record<string, unknown>) =>
        connected.client.request({ method, params }, ResultSchema.loose())
      const rootsChanged = () => connected.client.sendRootsListChanged()
      return { ...connected, request, rootsChanged, client: asNewest(connected.client) }
    },
  }),
)

/** Its call of a tool has one more parameter; the types of its results are others, their members the same. */
function asNewest(client: Client1): EveryClient {
  const callTool: EveryClient['callTool'] = (params, options) =>
    client.callTool(params, undefined, options as Parameters<Client1['callTool']>[2]) as never
  return new Proxy(client, {
    get: (target, name) => {
      if (name === 'callTool') return callTool
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as unknown as EveryClient
}

const OF_CLIENT2 = MODES.map(
  ({ name, mode, version }): Kind => ({
    name: `client 2.x, ${name}`,
    sdk: 2,
    version,
    isModern: version === VERSION,
    async connect(t, server, { answers = {}, onNotification, ...options } = {}) {
      const faults = faultsOf(t)
      const { app, url } = await listening(t, server)
      const client = new Client2({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, ...options })
      client.onerror = error => faults.push(error)
      for (const [method, answer] of Object.entries(answers))
        client.setRequestHandler(method as keyof typeof ASKED, ({ params }) => answer(params) as never)
      if (onNotification !== undefined)
        for (const method of Object.keys(TOLD) as (keyof typeof TOLD)[])
          client.setNotificationHandler(method, ({ params }) => onNotification(method, params))
      const http = recorder()
      // All that a client of the newest revision reads is checked against its schema.
      const checked = version === VERSION ? tapped(http.fetch) : undefined
      t.teardown(async () => {
        // It takes its own closing for a fault of its streams.
        client.onerror = () => {}
        await client.close()
        await Promise.all(checked?.reading ?? [])
        faults.push(...(checked?.faults ?? []))
      })
      const { fetch } = checked ?? http
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }))
      const request = (method: string, params?: Record<string, unknown>) => client.request({ method, params } as never)
      const rootsChanged = () => client.sendRootsListChanged()
      return { app, url, client, http, faults, request, rootsChanged }
    },
  }),
)

/** For each: what a test says of one it says of all. */
export const EVERY_CLIENT: readonly Kind[] = [...OF_SDK1, ...OF_CLIENT2]

/** Every page of a list; client 2.x walks over them by itself. */
export async function readPages<Page extends { nextCursor?: string | undefined }>(
  list: (params?: { cursor: string }) => Promise<Page>,
): Promise<Page[]> {
  const pages = [await list()]
  for (let cursor = pages[0]!.nextCursor; cursor !== undefined; cursor = pages.at(-1)!.nextCursor) {
    pages.push(await list({ cursor }))
  }
  return pages
}
