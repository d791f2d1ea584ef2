// Connects the official client to a server, in the newest era that the server speaks.
import {
  Client,
  type ClientCapabilities,
  type ClientOptions,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client'
import { compile, type Schema, SchemaError } from '@toolrack/json-schema/validator'
import { MODERN_VERSIONS } from 'toolrack/protocol'
import { readPackageVersion } from 'toolrack/settings'
import { findTokens } from '../sign-in/tokens.ts'
import { explainFailure, getStatus } from './failures.ts'
import { hasAuthorization, type Target } from './target.ts'
import { keepWritten } from './written.ts'

export interface Connection {
  readonly client: Client
  readonly url: URL
  readonly transport: StreamableHTTPClientTransport | SSEClientTransport
}

interface ConnectOptions {
  readonly capabilities?: ClientCapabilities
  readonly signal?: AbortSignal
  /** Registers handlers before the client connects. */
  prepare?(client: Client): void
}

/** Status codes of a path without an endpoint. */
const NOT_HERE: readonly unknown[] = [404, 405]

/** @throws CommandError that says what to do */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Connection> {
  const [first, ...others] = target.urls
  try {
    return await connectTo(first!, target, options)
  } catch (error) {
    for (const url of NOT_HERE.includes(getStatus(error)) ? others : []) {
      const found = await connectTo(url, target, options).catch(() => undefined)
      if (found !== undefined) return found
    }
    throw explainFailure(error, first!, target)
  }
}

async function connectTo(url: URL, target: Target, { capabilities, prepare, signal }: ConnectOptions) {
  const client = new Client(
    { name: 'toolrack', version: readPackageVersion() },
    { capabilities, jsonSchemaValidator: { getValidator }, ...toNegotiation(target.revision) },
  )
  prepare?.(client)
  const transport = createTransport(url, target)
  try {
    await client.connect(transport, { timeout: target.timeoutMs, signal })
  } catch (error) {
    await client.close().catch(() => {})
    throw error
  }
  return { client, url, transport }
}

/**
 * Whether the server offers the lists. If it does not, the SDK client would print a warning to
 * stdout.
 */
export const offers = (client: Client, kind: 'tools' | 'resources' | 'prompts' | 'logging'): boolean =>
  client.getServerCapabilities()?.[kind] !== undefined

const CLOSE_WITHIN_MS = 1000

/** Ends the session, so that the server need not wait for it. */
export async function disconnect({ client, transport }: Connection): Promise<void> {
  if ('terminateSession' in transport) {
    const ended = transport.terminateSession().catch(() => {})
    await Promise.race([ended, new Promise(resolve => setTimeout(resolve, CLOSE_WITHIN_MS).unref())])
  }
  await client.close().catch(() => {})
}

function toNegotiation(revision: string | undefined): ClientOptions {
  if (revision === undefined) return { versionNegotiation: { mode: 'auto' } }
  if (MODERN_VERSIONS.includes(revision)) return { versionNegotiation: { mode: { pin: revision } } }
  return { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [revision] }
}

function createTransport(url: URL, { headers }: Target) {
  // A token that the user gives takes precedence over the sign-in.
  const authProvider = hasAuthorization(headers) ? undefined : findTokens(url)
  const options = { requestInit: { headers }, fetch: keepWritten(fetch), ...(authProvider && { authProvider }) }
  // The usual path of the transport of 2024-11-05.
  return url.pathname.endsWith('/sse')
    ? new SSEClientTransport(url, options)
    : failLostRequests(new StreamableHTTPClientTransport(url, options))
}

/**
 * Fails the request of a stream that ends without an answer. The client would wait until its
 * timeout.
 */
function failLostRequests(transport: StreamableHTTPClientTransport): StreamableHTTPClientTransport {
  const send = transport.send.bind(transport)
  transport.send = (message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions) => {
    const ids = [message].flat().flatMap(each => ('id' in each && 'method' in each ? [each.id] : []))
    return send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.()
        for (const id of ids) transport.onmessage?.({ jsonrpc: '2.0', id, error: LOST })
      },
    })
  }
  return transport
}

const LOST = { code: -32000, message: 'the connection ended before the answer came; the log of the server may say why' }

/** Checks structured results as the server does: with bounds, and without a second Ajv. */
function getValidator<T>(schema: object) {
  const check = compileIfPossible(schema as Schema)
  return (input: unknown) => {
    if (check === undefined || check.isValid(input))
      return { valid: true as const, data: input as T, errorMessage: undefined }
    const [issue] = check.issues(input, 1)
    return { valid: false as const, data: undefined, errorMessage: `${issue?.path} ${issue?.expected}` }
  }
}

/** @returns undefined for a schema that cannot be compiled; that is the problem of its server */
export function compileIfPossible(schema: Schema) {
  try {
    return compile(schema)
  } catch (error) {
    if (error instanceof SchemaError) return undefined
    throw error
  }
}
