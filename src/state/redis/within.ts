// Waits for an answer, but not for long.

/** The last part of a wait. */
const LAST_MS = 50

export class LateAnswer extends Error {
  override name = 'LateAnswer'
}

// A process that was busy for long has commands that it has not sent, and answers that it has not read. So the last part
// of the wait begins when the first has ended.
export function within<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new LateAnswer(`no answer within ${limitMs} ms`))
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, LAST_MS)
    }, limitMs - LAST_MS)
    answer.then(
      value => {
        clearTimeout(timer)
        resolve(value)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
