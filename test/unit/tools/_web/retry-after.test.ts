import t from 'tap'
import { toolModule } from '../../../support/tools/shipped.ts'

const { retryAfterS } = await toolModule<typeof import('../../../../tools/_web/retry-after.ts')>('_web/retry-after.ts')

const inS = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString()

t.test('Retry-After: seconds are those', async t => {
  t.equal(retryAfterS('17'), 17)
  t.equal(retryAfterS('0'), 1)
})

t.test('Retry-After: a date is the seconds until then', async t => {
  const seconds = retryAfterS(inS(1000)) ?? 0

  t.ok(seconds > 900 && seconds <= 1000, `${seconds} s`)
  t.equal(retryAfterS(inS(-1000)), 1)
})

for (const header of ['', '-1', '1.5', '99999999', 'soon', '2030-01-01', 'Fri, 99 Foo 2030 00:00:00 GMT', inS(1e8)]) {
  t.test(`Retry-After: ${JSON.stringify(header)} says nothing`, async t => {
    t.equal(retryAfterS(header), undefined)
  })
}
