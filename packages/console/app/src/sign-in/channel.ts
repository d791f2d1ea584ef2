// How the callback page hands the answer of the authorization server to the console: within the browser, by a channel
// of this origin. The window that signs in has no opener, so the authorization server cannot reach the console.

const CHANNEL = 'toolrack-console-sign-in'

/** Of the callback page: `search` is the query that it was called with. */
export function postAnswer(search: string): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(search)
  channel.close()
}

/**
 * The answer to the request that has this `state`; others belong to other windows.
 *
 * @throws the signal's reason, if it aborts before
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
