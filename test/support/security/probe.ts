// What must hold after every attack (test/security/README.md): one answer, nothing of the inside of
// the server in it, and the next client is served.
import type { Test } from 'tap'
import { defineTool, type ServerOptions, Type } from '../../../src/index.ts'
import { type App, build, readMessages, request } from '../app.ts'
import { assertWire, type WireMessage } from '../wire/modern.ts'

/** A secret of the server; no reply and no log line may hold it. */
export const CANARY = 'canary-5b1f-this-is-the-state-secret-of-the-server'

const probe = defineTool({
  name: 'probe',
  inputSchema: Type.Object({ n: Type.Integer() }),
  annotations: { readOnlyHint: true },
  handler: ({ n }) => `probe ${n}`,
})

/** Takes one argument of any kind, and keeps what reached its handler. */
export function recorder(name = 'echo') {
  const received: unknown[] = []
  const tool = defineTool({
    name,
    inputSchema: { type: 'object', properties: { message: {} } },
    handler(args) {
      received.push(args['message'])
      return typeof args['message'] === 'string' ? args['message'] : JSON.stringify(args)
    },
  })
  return { tool, received }
}

/** A server with a canary for a secret, a tool to probe it with, and no limit that attacks would run into. */
export function target(t: Test, { tools = [], ...options }: ServerOptions = {}): Promise<App> {
  return build(t, {
    tools: [probe, ...tools],
    stateSecret: CANARY,
    ...options,
    rateLimit: { max: 1_000_000, ...options.rateLimit },
  })
}

export interface Attack {
  body?: string | Buffer | object
  /** Laid over those of a right call of `echo`; `undefined` takes one away. */
  headers?: Record<string, string | string[] | undefined>
  verb?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  url?: string
  remoteAddress?: string
}

export interface Got {
  status: number
  headers: Record<string, unknown>
  text: string
  /** The one message; undefined where there is no body. */
  message: WireMessage | undefined
}

/** A right call of `echo`, as text that can be tampered with. */
export function echoCall(args: unknown = { message: 'x' }, more: object = {}): string {
  const { message } = request('tools/call', { name: 'echo', arguments: args }, { id: 1 })
  return JSON.stringify({ ...message, ...more })
}

export const ECHO_HEADERS = request('tools/call', { name: 'echo' }).headers

/** Sends it and checks what must hold after every attack, with a probe. @throws Error if it does not */
export async function attack(app: App, sent: Attack): Promise<Got> {
  const logged = app.logs.text.length
  const audited = { text: app.audit.text.length, lines: app.audit.lines.length }
  const got = await send(app, sent)
  assertClean(`${JSON.stringify(got.headers)} ${got.text}`, 'reply')
  assertClean(app.logs.text.slice(logged), 'log')
  assertClean(app.audit.text.slice(audited.text), 'audit')
  const outcomes = app.audit.lines.slice(audited.lines)
  if (outcomes.length !== (got.status === 202 || got.status === 204 ? 0 : 1)) {
    throw new Error(`audited ${JSON.stringify(outcomes)}`)
  }
  await assertAlive(app)
  return got
}

/** The same without the probe, for runs of thousands. */
export async function send(
  app: App,
  { body, headers = {}, verb = 'POST', url = '/mcp', ...rest }: Attack,
): Promise<Got> {
  const all = Object.entries({ ...ECHO_HEADERS, ...headers }).filter(([, value]) => value !== undefined)
  const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const response = await app.inject({
    method: verb,
    url,
    headers: Object.fromEntries(all) as Record<string, string>,
    ...(payload !== undefined && { payload }),
    ...rest,
  })
  const contentType = String(response.headers['content-type'])
  const got = { status: response.statusCode, headers: response.headers, text: response.body }
  return { ...got, message: verb === 'HEAD' ? undefined : onlyMessage(contentType, response.body) }
}

function onlyMessage(contentType: string, text: string): WireMessage | undefined {
  const responses = readMessages(contentType, text).filter(({ method }) => method === undefined)
  if (responses.length > 1) throw new Error(`${responses.length} responses: ${text.slice(0, 300)}`)
  return responses[0] && assertWire(responses[0])
}

const INNARDS = [CANARY, process.cwd(), 'node_modules', 'node:internal', '"stack"', '    at ', 'internal error']

export function assertClean(text: string, where: string): void {
  const found = INNARDS.find(each => text.includes(each))
  if (found !== undefined) throw new Error(`the ${where} holds ${JSON.stringify(found)}: ${text.slice(0, 500)}`)
}

let probes = 0

export async function assertAlive(app: App): Promise<void> {
  const n = ++probes
  const { message, headers } = request('tools/call', { name: 'probe', arguments: { n } }, { id: `probe-${n}` })
  const { status, message: answer } = await send(app, { body: message, headers })
  if (status !== 200 || answer?.id !== `probe-${n}` || answer.result?.content[0]?.text !== `probe ${n}`) {
    throw new Error(`the probe was answered with ${status} ${JSON.stringify(answer)}`)
  }
}

/** Attacks a call of `echo` with these headers, and expects this refusal. */
export async function refuses(
  t: Test,
  app: App,
  headers: NonNullable<Attack['headers']>,
  expected: { status: number; code: number },
  body = echoCall(),
): Promise<void> {
  const got = await attack(app, { body, headers })
  t.match({ status: got.status, code: got.message?.error?.code }, expected, JSON.stringify(headers))
}

/** The same, expecting a result. */
export async function serves(
  t: Test,
  app: App,
  headers: NonNullable<Attack['headers']>,
  body = echoCall(),
): Promise<Got> {
  const got = await attack(app, { body, headers })
  t.match({ status: got.status, error: got.message?.error }, { status: 200, error: undefined }, JSON.stringify(headers))
  return got
}
