// The one event of observability: each listener is called, whatever the others do.
import t from 'tap'
import { type RequestEnded, RequestEvents } from '../../../src/observability/request-ended.ts'

const setUp = () => {
  const logged: [object, string][] = []
  const log = { error: (fields: object, text: string) => void logged.push([fields, text]) }
  return { events: new RequestEvents(), ended: { requestId: 'r-1', log } as unknown as RequestEnded, logged }
}

t.test('a listener that throws or rejects is logged, and harms nobody', async t => {
  const { events, ended, logged } = setUp()
  const heard: string[] = []
  events
    .on(() => {
      throw new Error('broken')
    })
    .on(() => Promise.reject(new Error('later')))
    .on(({ requestId }) => heard.push(requestId))

  events.emit(ended)
  await Promise.resolve()

  t.strictSame(heard, ['r-1'])
  t.match(logged, [
    [{ requestId: 'r-1', err: { message: 'broken' } }, 'a listener to the end of a request has failed'],
    [{ requestId: 'r-1', err: { message: 'later' } }, 'a listener to the end of a request has failed'],
  ])
})

t.test('a listener may go while it is called', async t => {
  const { events, ended } = setUp()
  const heard: string[] = []
  const once = () => {
    heard.push('once')
    events.off(once)
  }
  events.on(once).on(() => heard.push('always'))

  events.emit(ended)
  events.emit(ended)

  t.strictSame(heard, ['once', 'always', 'always'])
})
