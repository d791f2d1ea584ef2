// The target of the redirect from the authorization server: a page on this machine, as long as the
// sign-in takes.
// RFC 8252, 7.3.
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UsageError } from '../errors.ts'

const PATH = '/callback'

export interface Redirect {
  readonly url: string
  /** Resolves with the first answer with this state. Refuses others, and continues to wait. */
  answer(state: string, signal: AbortSignal): Promise<URLSearchParams>
  /** Shows the result of the sign-in in the waiting browser. */
  close(isSignedIn: boolean): void
}

/** @param port 0 for any free port @returns undefined if the port is taken */
export async function listenForRedirect(port: number): Promise<Redirect | undefined> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    if ((error as NodeJS.ErrnoException).code === 'EACCES')
      throw new UsageError(`--port: only the administrator may listen on ${port}; expected one from 1024 on`)
    throw error
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`
  return createRedirect(server, url)
}

function createRedirect(server: Server, url: string): Redirect {
  let waiting: ServerResponse | undefined
  return {
    url,
    answer: (state, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        server.on('request', (request, response) => {
          const { pathname, searchParams } = new URL(request.url ?? '', url)
          if (pathname !== PATH || request.method !== 'GET') return show(response, 404, 'There is nothing here.')
          if (waiting !== undefined || searchParams.get('state') !== state)
            return show(response, 400, 'This answer is for another sign-in. Go back to the terminal.')
          waiting = response
          resolve(searchParams)
        })
      }),
    close(isSignedIn) {
      if (waiting !== undefined) show(waiting, isSignedIn ? 200 : 400, isSignedIn ? DONE : FAILED)
      server.close()
      server.closeIdleConnections()
    },
  }
}

const DONE = 'You are signed in. You can close this page, and go back to the terminal.'
const FAILED = 'The sign-in has failed. The terminal says why.'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'",
  // The address contains the code.
  'referrer-policy': 'no-referrer',
  connection: 'close',
}

function show(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, HEADERS)
    .end(`<!doctype html><meta charset="utf-8"><title>Toolrack</title><p>${text}</p>\n`)
}
