// What clients have under way when Redis fails, and what they ask for meanwhile that cannot be had without it.
import type { Test } from 'tap'
import { stream } from '../../support/app.ts'
import type { TestReply } from '../../support/client/reply.ts'
import { socket } from '../../support/client/transport.ts'
import { ask, callPlain, callTool, type Held, initialize, openSession, served, type Timed } from './client.ts'
import { whenSo } from './rig.ts'

export interface Before {
  readonly session: Held
  /** Its stream, in 2025-11-25. */
  readonly news: TestReply
  readonly lastEventId: string
  /** A stream of subscriptions, in 2026-07-28. */
  readonly listener: TestReply
  /** Of a task that waits for an answer. */
  readonly taskId: string
  /** Of calls that wait for an answer. */
  readonly states: readonly string[]
}

export const ANSWER = { name: { action: 'accept', content: { name: 'Ada' } } }

/** @throws Error where something of it does not work, with Redis at hand */
export async function begin(t: Test, url: string): Promise<Before> {
  const session = await openSession(url)
  const headers = { ...session.headers, accept: 'text/event-stream' }
  const news = await opened(() => socket(url, t).stream({ headers }))
  const { id: lastEventId = '' } = await news.event(0)
  const listener = await listening(t, url)
  const taskId = await askingTask(url)
  const states = [await stateOf(url), await stateOf(url)]
  return { session, news, lastEventId, listener, taskId, states }
}

/** A stream of subscriptions to the list of tools. */
export async function listening(t: Test, url: string): Promise<TestReply> {
  const filter = { notifications: { toolsListChanged: true } }
  const listener = await opened(() => stream(t, url, 'subscriptions/listen', filter))
  await listener.next(0)
  return listener
}

// As `served`: on a busy machine it may be refused for now.
async function opened<Stream extends { readonly status: number }>(open: () => Promise<Stream>): Promise<Stream> {
  let found = await open()
  await whenSo(async () => found.status !== 503 || (found = await open()).status !== 503)
  return found
}

// Where the machine is busy its question may be there before the task is given out.
async function askingTask(url: string): Promise<string> {
  for (let tries = 0; tries < 10; tries++) {
    const { body } = await served(() => callTool(url, 'asking_job'))
    const { resultType, taskId } = body.result
    if (resultType !== 'task') continue
    const isAsking = async () => (await ask(url, 'tasks/get', { taskId })).body.result?.status === 'input_required'
    if ((await whenSo(isAsking)) !== undefined) return taskId
  }
  throw new Error('no task asks')
}

async function stateOf(url: string): Promise<string> {
  const { body, text } = await served(() => callPlain(url, 'asker'))
  const state = body?.result?.requestState
  if (typeof state !== 'string') throw new Error(`no state: ${text}`)
  return state
}

/** Ten requests at once, each of which needs shared state. */
export function askForState(url: string, { session, lastEventId, taskId, states }: Before): Promise<Timed[]> {
  const kinds = [
    () => session.call(url, 'tools/call', { name: 'echo', arguments: {} }),
    () => initialize(url),
    () => ask(url, 'tasks/get', { taskId }),
    () => callPlain(url, 'asker', { requestState: states[0], inputResponses: ANSWER }),
    () => session.resume(url, lastEventId),
    () => callTool(url, 'job'),
    () => ask(url, 'tasks/cancel', { taskId: 'x'.repeat(32) }),
  ]
  return Promise.all(Array.from({ length: 10 }, (_, index) => kinds[index % kinds.length]!()))
}

/** A machine that stands still needs longer than the 300 ms that are promised; who waits for Redis waits until this is over. */
const REFUSED_MS = 15_000

/** Whether it is as promised: 503, a code of our own, and when to come again. */
export const isRefused = ({ status, headers, body, ms }: Timed): boolean =>
  status === 503 && body?.error?.code === 50300 && /^[1-9]\d*$/.test(String(headers['retry-after'])) && ms < REFUSED_MS

export const shown = ({ what, status, text, ms }: Timed) =>
  `${what}: ${status} in ${Math.round(ms)} ms ${text.slice(0, 150)}`
