// What a client does with a server in one go: a session, calls, lists, questions, a task, a stream. Where the server
// refuses it with 503 the client leaves that part out; everything else has to be as it should.
import { setTimeout as sleep } from 'node:timers/promises'
import { ANSWER, isRefused } from './before.ts'
import { ask, callPlain, callTool, Held, initialize, send, type Timed } from './client.ts'
import { firstMessage, listening } from './first-message.ts'

export interface Played {
  /** How many were refused. */
  refused: number
  /** What was neither a result nor refused as promised. */
  readonly wrong: string[]
  /** How a task ended that was handed out; undefined where none was. */
  task: string | undefined
  slowestMs: number
}

const TASK_MS = 40_000

export async function play(url: string): Promise<Played> {
  const played: Played = { refused: 0, wrong: [], task: undefined, slowestMs: 0 }

  // Undefined where it was refused.
  async function step(answer: Promise<Timed>): Promise<Timed | undefined> {
    try {
      const answered = await answer
      const { what, status, text, body, ms } = answered
      played.slowestMs = Math.max(played.slowestMs, Math.round(ms))
      const isResult = status === 204 || (status === 200 && body?.result !== undefined && body.result.isError !== true)
      if (isResult) return answered
      if (isRefused(answered)) played.refused++
      else played.wrong.push(`${what}: ${status} in ${Math.round(ms)} ms ${text.slice(0, 200)}`)
    } catch (error) {
      played.wrong.push((error as Error).message)
    }
    return undefined
  }

  await playSession(url, step)
  await step(callTool(url, 'limited', {}, `10.2.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`))
  const asked = await step(callPlain(url, 'asker'))
  if (asked)
    await step(callPlain(url, 'asker', { requestState: asked.body.result.requestState, inputResponses: ANSWER }))
  await playTask(url, step, played)
  return played
}

type Step = (answer: Promise<Timed>) => Promise<Timed | undefined>

async function playSession(url: string, step: Step): Promise<void> {
  const opened = await step(initialize(url))
  if (opened === undefined) return
  const session = new Held(opened)
  await step(session.call(url, 'tools/call', { name: 'echo', arguments: {} }))
  await step(session.call(url, 'tools/list'))
  await step(session.call(url, 'logging/setLevel', { level: 'info' }))
  await step(firstMessage(url, { method: 'GET', headers: { ...session.headers, accept: 'text/event-stream' } }))
  await step(send(url, 'end of session', { method: 'DELETE', headers: session.headers }))
}

async function playTask(url: string, step: Step, played: Played): Promise<void> {
  const handed = await step(callTool(url, 'asking_job'))
  const taskId = handed?.body.result.taskId
  // A busy machine may come to the question before the task is given out.
  if (taskId === undefined) return
  await step(firstMessage(url, listening(taskId)))
  let status = 'working'
  let hasToAnswer = false
  for (const endMs = Date.now() + TASK_MS; Date.now() < endMs; await sleep(20)) {
    const looked = await step(ask(url, 'tasks/get', { taskId }))
    status = looked?.body.result.status ?? status
    if (['completed', 'failed', 'cancelled'].includes(status)) break
    // Refused, an answer is sent again: it may have got there, and the task not be told.
    if (hasToAnswer || status === 'input_required')
      hasToAnswer = (await step(ask(url, 'tasks/update', { taskId, inputResponses: ANSWER }))) === undefined
  }
  played.task = status
}
