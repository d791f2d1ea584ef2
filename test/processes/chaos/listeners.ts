// Clients that listen to changes of the list of tools, and come back at once where their stream ends.
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { readMessages, request } from '../../support/app.ts'
import type { WireMessage } from '../../support/wire/modern.ts'

export interface Heard {
  /** Streams that were agreed to. */
  opened: number
  /** Those that ended with the result that says so. */
  completed: number
  /** Those that ended without a word. */
  cut: number
  changes: number
  isOpen: boolean
}

const PAUSE_MS = 100

export async function listen(url: string, heard: Heard, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await once(url, heard, over)
    heard.isOpen = false
    await sleep(PAUSE_MS)
  }
}

function once(url: string, heard: Heard, over: AbortSignal): Promise<void> {
  const { message, headers } = request('subscriptions/listen', { notifications: { toolsListChanged: true } })
  const { host: _, ...rest } = headers
  return new Promise(resolve => {
    const sent = http.request(url, { method: 'POST', headers: rest, agent: false, signal: over })
    sent.on('error', () => resolve())
    sent.on('response', response => {
      let left = ''
      let isCompleted = false
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (left + chunk).split('\n')
        left = lines.pop()!
        for (const each of readMessages('text/event-stream', lines.join('\n'))) {
          hear(heard, each)
          isCompleted ||= each.result !== undefined
        }
      })
      response
        .on('error', () => {})
        .on('close', () => {
          if (heard.isOpen && !over.aborted) isCompleted ? heard.completed++ : heard.cut++
          resolve()
        })
    })
    sent.end(JSON.stringify(message))
  })
}

function hear(heard: Heard, { method }: WireMessage): void {
  if (method === 'notifications/tools/list_changed') heard.changes++
  if (method !== 'notifications/subscriptions/acknowledged') return
  heard.isOpen = true
  heard.opened++
}
