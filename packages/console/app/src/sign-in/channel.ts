// Passes the answer of the authorization server from the callback page to the console, within the
// browser, by a channel of this origin. The sign-in window has no opener, so the authorization
// server cannot reach the console.

const CHANNEL = 'toolrack-console-sign-in'

/** For the callback page. @param search the query of its URL */
export function postAnswer(search: string): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(search)
  channel.close()
}

/**
 * Waits for the answer to the request with this `state`. Other answers belong to other windows.
 *
 * @throws the signal's reason if it aborts first
 */
export function receiveAnswer(state: string, signal: AbortSignal): Promise<URLSearchParams> {
  const channel = new BroadcastChannel(CHANNEL)
  const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>()
  const abort = () => reject(signal.reason)
  channel.onmessage = ({ data }) => {
    const answer = new URLSearchParams(String(data))
    if (answer.get('state') === state) resolve(answer)
  }
  signal.addEventListener('abort', abort)
  return promise.finally(() => {
    signal.removeEventListener('abort', abort)
    channel.close()
  })
}
