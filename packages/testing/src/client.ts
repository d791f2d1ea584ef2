// A client of the newest revision in the process of its server. Each request goes through the steps
// of a POST, from the classification to the encoded answer.
import type { Caller, ClientCapabilities, JsonObject } from 'toolrack'
import { findMirroredTarget, openMirrored, serveMessage } from 'toolrack/messages'
import {
  classify,
  type Exchange,
  encodeHeader,
  type Headers,
  McpError,
  META_CAPABILITIES,
  META_CLIENT,
  META_LOG_LEVEL,
  META_VERSION,
  MODERN_VERSIONS,
  mirrorParams,
  parseJson,
} from 'toolrack/protocol'
import type { Runtime } from 'toolrack/server'
import type { CallRecord } from './call-record.ts'
import { toProtocolError } from './protocol-error.ts'

/** The sender of a request, and what the client declares. */
export interface Sender {
  readonly caller: Caller | undefined
  readonly capabilities: ClientCapabilities
  /** More members of `_meta`. */
  readonly meta: JsonObject
}

interface RequestMessage {
  readonly id: number
  readonly method: string
  readonly params: JsonObject
}

const [VERSION] = MODERN_VERSIONS as [string]
/** Key for the limits of anonymous callers; over HTTP, it is the address. */
const ANONYMOUS_KEY = 'test'

export class TestClient {
  readonly runtime: Runtime
  readonly #errors = new Map<string, unknown>()
  /** By the id of the request, which a task keeps. */
  readonly #records = new Map<string, CallRecord>()
  #requests = 0

  constructor(runtime: Runtime) {
    this.runtime = runtime
    runtime.events.on(({ source, requestId, error }) => {
      if (source === 'method' && error !== undefined) this.#errors.set(requestId, error)
    })
  }

  /**
   * Sends a request and waits for its result.
   *
   * @throws ProtocolError
   */
  async request(method: string, params: JsonObject, sender: Sender, sink?: CallRecord): Promise<JsonObject> {
    const id = ++this.#requests
    const requestId = `test-${id}`
    if (sink !== undefined) this.#records.set(requestId, sink)
    try {
      const exchange = this.#open({ id, method, params }, sender, { requestId, sink })
      const answer = await serveMessage(exchange, this.runtime)
      if (answer === undefined) throw new Error(`${method} is answered by a stream, which a test cannot read`)
      const { result, error } = JSON.parse(answer.json)
      // The answer lacks the name of the error, but the event of its end has the error itself.
      if (error !== undefined) throw toProtocolError(this.#errors.get(requestId))
      return result
    } catch (error) {
      throw error instanceof McpError ? toProtocolError(error) : error
    } finally {
      this.#errors.delete(requestId)
    }
  }

  /** Lets the record of a call get the reports of its task's runs. */
  listenToTask(task: Exchange): Exchange {
    return this.#records.get(task.requestId)?.listenTo(task) ?? task
  }

  /** Ends a record: its call has ended, with its task. */
  forget(record: CallRecord): void {
    for (const [requestId, each] of this.#records) if (each === record) this.#records.delete(requestId)
  }

  #open(
    { id, method, params }: RequestMessage,
    { caller, capabilities, meta }: Sender,
    { requestId, sink }: { readonly requestId: string; readonly sink: CallRecord | undefined },
  ): Exchange {
    const { inflight, owners, log } = this.runtime
    inflight.assertOpen()
    const owner = owners.find(caller)
    const _meta = {
      [META_VERSION]: VERSION,
      [META_CLIENT]: { name: 'toolrack/testing', version: VERSION },
      [META_CAPABILITIES]: capabilities,
      ...(sink !== undefined && { progressToken: id, [META_LOG_LEVEL]: 'debug' }),
      ...meta,
    }
    // Values that JSON lacks do not reach a tool, not even in a test.
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }))
    const headers = this.#createHeaders(method, params)
    const inbound = classify(headers, parseJson(body))
    if (inbound.era !== 'modern' || inbound.message.kind !== 'request')
      throw new Error(`expected a request; ${method} is not one`)
    const connection = {
      headers,
      caller,
      owner,
      clientKey: owner ?? ANONYMOUS_KEY,
      sink,
      cancellation: inflight.createCancellation(),
      requestId,
      requestBytes: body.length,
      log,
    }
    return openMirrored(inbound.revision, inbound.message, connection, findMirroredTarget(inbound.revision, method))
  }

  #createHeaders(method: string, params: JsonObject): Headers {
    const headers: Headers = { 'mcp-protocol-version': VERSION, 'mcp-method': method }
    const tool = method === 'tools/call' ? this.runtime.catalog.tools.find(String(params['name'])) : undefined
    const name = params['name'] ?? params['uri'] ?? params['taskId']
    return {
      ...headers,
      ...(typeof name === 'string' && { 'mcp-name': encodeHeader(name) }),
      ...(tool !== undefined && mirrorParams(params['arguments'], tool.mirroredParams)),
    }
  }
}
