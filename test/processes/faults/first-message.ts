// A stream, as far as its first event; or what was answered in its place.
import http from 'node:http'
import { request } from '../../support/app.ts'
import { ABLE_AND_TASKS } from '../../support/tasks/modern.ts'
import type { Sending, Timed } from './client.ts'

/** A subscription to a task and to the list of tools. */
export function listening(taskId: string): Sending {
  const notifications = { toolsListChanged: true, taskIds: [taskId] }
  const { message, headers } = request('subscriptions/listen', { notifications }, { capabilities: ABLE_AND_TASKS })
  return { headers, body: message }
}

/** @throws Error where nothing came within 30 s */
export function firstMessage(url: string, { method = 'POST', headers, body }: Sending): Promise<Timed> {
  const startedMs = performance.now()
  return new Promise((resolve, reject) => {
    const sent = http.request(url, { method, headers, agent: false, signal: AbortSignal.timeout(30_000) }, response => {
      let text = ''
      const { statusCode: status = 0, headers: answered } = response
      const isStream = String(answered['content-type']).startsWith('text/event-stream')
      const finish = () => {
        const ms = performance.now() - startedMs
        const body = isStream ? { result: {} } : JSON.parse(text)
        resolve({ what: `${method} stream`, status, headers: answered, text, body, ms })
        sent.destroy()
      }
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk
        if (isStream && text.includes('\n\n')) finish()
      })
      response.on('end', finish).on('error', () => {})
    })
    sent.on('error', error => reject(new Error(`${method} stream: ${error.message}`)))
    sent.end(body && JSON.stringify(body))
  })
}
