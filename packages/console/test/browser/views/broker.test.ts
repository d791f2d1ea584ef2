// The question of the broker in a real browser: readable, by keyboard alone, and the way through it
// to the client and back.
import t from 'tap'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { openPage } from '../../../../../test/support/browser/page.ts'
import { measureOverflow, takeScreenshots } from '../../../../../test/support/browser/screenshots.ts'
import { PAYLOADS } from '../../../../../test/support/console/payloads.ts'
import { listen } from '../../../../../test/support/servers/http-server.ts'
import { ask, type Broker, exchange, registered, startBroker } from '../../../../broker/test/support/broker.ts'

const broker = await startBroker(t)
/** Where the client waits. */
const client = await listen(t, (_, response) =>
  response.setHeader('content-type', 'text/html').end('<link rel="icon" href="data:,">The client has its answer.'),
)
const redirect = `${client}/callback`
const origins = [client, broker.upstream.issuer]

async function question(of: Broker, changes: object = {}) {
  const clientId = await registered(of, { redirect_uris: [redirect], ...changes })
  return { clientId, ...ask(of, clientId, { redirect_uri: redirect, scope: 'prices:read prices:write' }) }
}

t.test('the question is accessible, fits a phone, and its style applies', async t => {
  const { url } = await question(broker, { client_name: 'Claude' })
  const { page, faults } = await openPage(t, url.href)

  t.equal(await page.title(), 'Connect Claude?')
  await assertAccessible(t, page, 'the question')
  t.equal(await measureOverflow(page), 0)
  t.equal(await page.evaluate('getComputedStyle(document.body).maxWidth'), '544px')
  await takeScreenshots(page, 'broker-question')
  t.strictSame(faults, [])
})

t.test('by keyboard alone: allow, sign in, and the client has a code that is good', async t => {
  const { url, clientId, verifier } = await question(broker)
  // The provider of the test has no icon.
  const { page, faults } = await openPage(t, url.href, { origins, expected: [/favicon/] })

  await page.keyboard.press('Tab')
  t.equal(await page.evaluate('document.activeElement.textContent'), 'Allow and sign in')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${broker.upstream.issuer}/interaction/**`)
  await page.evaluate(`
    const form = document.querySelector('form')
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'account', value: 'alice' }))
    form.submit()`)
  await page.waitForURL(`${redirect}?**`)

  const code = new URL(page.url()).searchParams.get('code')!
  t.match(await exchange(broker, clientId, code, verifier, { redirect_uri: redirect }), { status: 200 })
  t.strictSame(faults, [], 'its own policy stands in no way')
})

t.test('by keyboard alone: refuse, and the client is told', async t => {
  const { url } = await question(broker)
  const { page } = await openPage(t, url.href, { origins })

  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${redirect}?**`)

  t.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')
})

t.test('an error is a page, which is accessible, and the way back is a link', async t => {
  const clientId = await registered(broker, { redirect_uris: [redirect] })
  const asked = ask(broker, clientId, { redirect_uri: redirect, prompt: 'none' })
  const { page } = await openPage(t, asked.url.href, { origins, expected: [/400/] })

  t.equal(new URL(page.url()).origin, broker.url)
  await assertAccessible(t, page, 'the error')
  await takeScreenshots(page, 'broker-error')
  await page.getByRole('link').click()
  await page.waitForURL(`${redirect}?**`)
})

t.test('nothing that a client calls itself runs, loads or hides the rest', async t => {
  // As many as one address may register in a minute, less those of the tests above.
  for (const payload of PAYLOADS.slice(0, 16)) {
    const { url } = await question(broker, { client_name: payload })
    const { page, faults } = await openPage(t, url.href)
    t.strictSame(faults, [], payload)
    t.equal(await page.locator('script, iframe, svg, img, base').count(), 0)
    t.equal(await page.getByRole('button').count(), 2)
    await page.close()
  }
})

t.test('another page cannot frame the question', async t => {
  const { url } = await question(broker)
  const framing = await listen(t, (_, response) =>
    response.setHeader('content-type', 'text/html').end(`<iframe src="${url.href.replaceAll('&', '&amp;')}"></iframe>`),
  )
  const { page } = await openPage(t, framing, { origins: [broker.url], expected: [/frame/] })
  const [, frame] = page.frames()

  t.notMatch(await frame!.content(), 'name="csrf"')
})
