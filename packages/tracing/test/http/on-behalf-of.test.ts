// An exchange of a token is a step of the call that waits for it.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { callTool } from '../../../../test/support/app.ts'
import { ALICE, CLIENT_SECRET, onBehalf } from '../../../../test/support/auth/on-behalf.ts'
import { giveTokens, refuseTokens, tokenService } from '../../../../test/support/auth/token-service.ts'
import { newSpans, startSdk } from '../../../../test/support/tracing.ts'

startSdk(t)

t.test('tracing: an exchange that takes its time is a span, also one that is refused; no token is in it', async t => {
  const service = await tokenService(t)
  const { app, given } = await onBehalf(t, service)
  for (const answer of [giveTokens(), refuseTokens({ error: 'invalid_target' })]) {
    // Shorter steps are left out.
    service.answer = async (...asked) => {
      await sleep(20)
      answer(...asked)
    }
    newSpans()
    await callTool(app, 'ask', { audience: `reports-${given.tokens.length}` }, ALICE)

    const spans = newSpans()
    t.equal(spans.filter(({ name }) => name === 'exchange token').length, 1)
    for (const secret of [ALICE.token, CLIENT_SECRET, ...given.tokens])
      t.notOk(JSON.stringify(spans.map(({ name, attributes }) => [name, attributes])).includes(secret))
  }
})
