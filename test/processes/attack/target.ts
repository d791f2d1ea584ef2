// What is attacked: a child process, and requests to it over real sockets.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import type { Held } from './server.ts'

export interface Target {
  readonly agent: http.Agent
  readonly port: number
  /** The code or signal of its end; undefined while it lives. */
  readonly end: string | undefined
  /** What it logged as errors. */
  readonly log: string
  held(): Promise<Held>
  close(): void
}

export async function startTarget(sockets: number, environment: Record<string, string> = {}): Promise<Target> {
  const child = fork(new URL('./server.ts', import.meta.url), {
    env: { ...process.env, ...environment },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const so: { log: string; end: string | undefined } = { log: '', end: undefined }
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', chunk => (so.log += chunk))
  child.on('exit', (code, signal) => (so.end = String(signal ?? code)))
  const [url] = (await once(child, 'message', { signal: AbortSignal.timeout(60_000) })) as [string]
  const agent = new http.Agent({ keepAlive: true, maxSockets: sockets })
  return {
    agent,
    port: Number(new URL(url).port),
    get end() {
      return so.end
    },
    get log() {
      return so.log
    },
    async held() {
      child.send('held?')
      const [held] = (await once(child, 'message')) as [Held]
      return held
    },
    close() {
      agent.destroy()
      child.kill('SIGKILL')
    },
  }
}

export interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers: Record<string, string>
  readonly body?: Buffer | string
  /** Called with each message of a stream as it comes. */
  onMessage?(message: Message): void
  /** When a stream that is open is left, ms; undefined: when the server ends it. */
  readonly leaveAfterMs?: number
}

// biome-ignore lint/suspicious/noExplicitAny: attacks look into messages freely
export type Message = any

export interface Answered {
  /** 0 where the connection was closed without an answer. */
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** From the last byte that was sent to the end of the answer, or to the head of a stream. */
  readonly elapsedMs: number
}

export function ask(
  { agent, port }: Target,
  { method = 'POST', path = '/mcp', headers, body, ...rest }: Sent,
): Promise<Answered> {
  return new Promise(resolve => {
    const startedMs = performance.now()
    let text = ''
    let headMs: number | undefined
    let response: http.IncomingMessage | undefined
    const finish = () => {
      const elapsedMs = headMs ?? performance.now() - startedMs
      resolve({ status: response?.statusCode ?? 0, headers: response?.headers ?? {}, text, elapsedMs })
    }
    const sent = http.request({ agent, host: '127.0.0.1', port, method, path, headers, timeout: 30_000 })
    sent.on('timeout', () => sent.destroy()).on('error', finish)
    sent.on('response', got => {
      response = got
      const isStream = got.headers['content-type']?.startsWith('text/event-stream') === true
      if (isStream) headMs = performance.now() - startedMs
      if (isStream && rest.leaveAfterMs !== undefined) setTimeout(() => sent.destroy(), rest.leaveAfterMs).unref()
      const read = rest.onMessage && messageReader(rest.onMessage)
      got.setEncoding('utf8').on('data', chunk => {
        text += chunk
        if (isStream) read?.(chunk)
      })
      got.on('close', finish)
    })
    sent.end(body)
  })
}

function messageReader(onMessage: (message: Message) => void): (chunk: string) => void {
  let rest = ''
  return chunk => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) if (/^data: ?\S/.test(line)) onMessage(JSON.parse(line.slice(5)))
  }
}

/** Runs so many at once until there are no more. */
export async function inParallel(width: number, next: () => Promise<void> | undefined): Promise<void> {
  const work = async () => {
    for (let step = next(); step !== undefined; step = next()) await step
  }
  await Promise.all(Array.from({ length: width }, work))
}
