// Each client is asked for, in the browser of its user, before the provider hears of anything.
// Specification 2026-07-28: Security Best Practices, "Confused Deputy Problem"; CVE-2026-27124.
import t from 'tap'
import { ask, exchange, payloadOf, RESOURCE, registered, startBroker } from '../support/broker.ts'
import { type Browser, csrfOf, leftFor, refreshOf, type Shown, shownIn } from '../support/browser.ts'

const broker = await startBroker(t)
const EVIL = 'https://evil.example/steal'

/** A browser whose user has signed in before, so that the provider signs in silently. */
async function signedIn(account = 'alice'): Promise<Browser> {
  const browser = broker.browser()
  leftFor(await browser.authorize(ask(broker, await registered(broker)).url, { account }))
  return browser
}

/** The question to this browser on behalf of a client of the attacker. */
async function askedByAttacker(browser: Browser) {
  const clientId = await registered(broker, { client_name: 'Claude', redirect_uris: [EVIL] })
  const asked = ask(broker, clientId, { redirect_uri: EVIL })
  return { clientId, asked, page: shownIn(await browser.go(asked.url)) }
}

/** The provider's page that the user is sent to after the answer. */
async function onward(browser: Browser, page: Shown): Promise<URL> {
  return refreshOf(shownIn(await browser.answer(page, 'allow')))!
}

t.test('the page shows who asks, where the access goes, for what, and for which rights', async t => {
  const browser = broker.browser()
  const clientId = await registered(broker, { client_name: 'Test client' })
  const page = shownIn(await browser.go(ask(broker, clientId, { scope: 'prices:read prices:write' }).url))

  t.equal(page.status, 200)
  for (const text of [
    'Test client',
    'client.example',
    RESOURCE,
    '<li>prices:read</li><li>prices:write</li>',
    'Example ID',
  ])
    t.match(page.html, text)
})

t.test('no page can be framed, scripted or cached, and its form leads to this server only', async t => {
  const browser = broker.browser()
  const asked = shownIn(await browser.go(ask(broker, await registered(broker)).url))
  const next = shownIn(await browser.answer(asked, 'allow'))
  const failed = shownIn(await browser.go(`${broker.url}/callback?state=unknown`))
  const refused = shownIn(await browser.go(ask(broker, 'nobody').url))

  for (const { headers } of [asked, next, failed, refused]) {
    t.equal(headers.get('x-frame-options'), 'DENY')
    t.match(headers.get('content-security-policy'), "default-src 'none'")
    t.match(headers.get('content-security-policy'), "frame-ancestors 'none'")
    t.match(headers.get('content-security-policy'), "form-action 'self'")
    t.equal(headers.get('cache-control'), 'no-store')
    t.equal(headers.get('referrer-policy'), 'same-origin')
  }
})

t.test(
  'a second client is asked for, although its user is signed in at the provider and has allowed another',
  async t => {
    const browser = await signedIn()
    const before = broker.upstream.asked.length
    const { page } = await askedByAttacker(browser)

    t.match(page, { status: 200, html: /name="csrf"/ })
    t.match(page.html, 'evil.example')
    t.equal(broker.upstream.asked.length, before, 'the provider has heard of nothing')
  },
)

t.test('the same client is asked for each time', async t => {
  const browser = broker.browser()
  const clientId = await registered(broker)
  leftFor(await browser.authorize(ask(broker, clientId).url, { account: 'alice' }))

  t.match(shownIn(await browser.go(ask(broker, clientId).url)).html, 'name="csrf"')
})

t.test('who refuses sends the client home without a code', async t => {
  const { url, state } = ask(broker, await registered(broker))
  const answer = leftFor(await broker.browser().authorize(url, { account: 'alice', answer: 'refuse' }))

  t.match(Object.fromEntries(answer), { error: 'access_denied', state, iss: broker.url })
  t.notOk(answer.has('code'))
})

t.test("a victim's browser does not complete what an attacker allowed in its own", async t => {
  const attacker = broker.browser()
  const { page } = await askedByAttacker(attacker)
  const link = await onward(attacker, page)
  const victim = await signedIn()

  const end = shownIn(await victim.go(link))

  t.match(end, { status: 400, url: { pathname: '/callback' } })
  t.match(end.html, 'another browser')
  t.match(shownIn(await attacker.go(end.url)), { status: 400 }, 'nor does the attacker with what came of it')
})

t.test("a victim's browser that has answered a question of its own does not, either", async t => {
  const attacker = broker.browser()
  const link = await onward(attacker, (await askedByAttacker(attacker)).page)
  const victim = await signedIn()
  const own = shownIn(await victim.go(ask(broker, await registered(broker)).url))
  await onward(victim, own)

  t.match(shownIn(await victim.go(link)), { status: 400 })
})

t.test("an attacker's sign-in is not slipped into a victim's browser", async t => {
  const attacker = broker.browser()
  const asked = shownIn(await attacker.go(ask(broker, await registered(broker)).url))
  const provider = shownIn(await attacker.go(await onward(attacker, asked)))
  const back = await attacker.request(provider.url, new URLSearchParams({ account: 'bob' }))
  const resumed = await attacker.request(new URL(back.headers.get('location')!, provider.url))
  const callback = new URL(resumed.headers.get('location')!)
  t.equal(callback.pathname, '/callback')

  t.match(shownIn(await (await signedIn()).go(callback)), { status: 400 })
})

// Other hosts of the domain can set the cookies of the library, but not `__Host-browser`.
t.test(
  "an attacker who plants its request in a victim's browser does not go on with what the victim answered",
  async t => {
    const { url } = ask(broker, await registered(broker))
    const begun = await fetch(url, { redirect: 'manual' })
    const cookiesOf = (name: string) =>
      begun.headers
        .getSetCookie()
        .flatMap(line => (line.startsWith(name) ? [line.split(';')[0]!] : []))
        .join('; ')
    const question = new URL(begun.headers.get('location')!, broker.url)
    const victim = broker.browser()
    victim.plant(question, cookiesOf('interaction'))

    const provider = shownIn(await victim.go(await onward(victim, shownIn(await victim.go(question)))))
    const back = await victim.request(provider.url, new URLSearchParams({ account: 'alice' }))
    const resumed = await victim.request(new URL(back.headers.get('location')!, provider.url))
    const signedInNow = await victim.request(new URL(resumed.headers.get('location')!))
    const goOn = signedInNow.headers.get('location')!
    t.match(new URL(goOn).pathname, '/authorize/')

    const taken = await fetch(goOn, { redirect: 'manual', headers: { cookie: cookiesOf('resume') } })

    t.match(taken.headers.get('location'), /^\S*\/consent\//, 'it is asked itself')
  },
)

t.test('a client that wants its user to choose an account gets an answer', async t => {
  const clientId = await registered(broker)
  for (const prompt of ['select_account', 'login consent select_account']) {
    const { url } = ask(broker, clientId, { prompt })
    t.ok(leftFor(await broker.browser().authorize(url, { account: 'alice' })).has('code'), prompt)
  }
})

t.test('an answer counts only with the cookie, the page and the origin of its question', async t => {
  const browser = await signedIn()
  const { page } = await askedByAttacker(browser)
  const own = shownIn(await browser.go(ask(broker, await registered(broker)).url))
  const right = { csrf: csrfOf(page), answer: 'allow' }
  const answer = (form: Record<string, string>, headers: Record<string, string> = {}, by = browser) =>
    by.request(page.url, new URLSearchParams(form), headers)
  const before = broker.upstream.asked.length

  for (const [what, response] of [
    ['no token', answer({ answer: 'allow' })],
    ['a wrong token', answer({ ...right, csrf: 'wrong' })],
    ['the token of another question', answer({ ...right, csrf: csrfOf(own) })],
    ['another origin', answer(right, { origin: 'https://evil.example' })],
    ['no origin, as from a sandboxed frame', answer(right, { origin: 'null' })],
    ['another site', answer(right, { 'sec-fetch-site': 'cross-site' })],
    ['another host of the domain', answer(right, { 'sec-fetch-site': 'same-site' })],
    ['another browser', answer(right, {}, broker.browser())],
  ] as const) {
    const { status } = await response
    t.ok(status === 400 || status === 403, `${what}: ${status}`)
  }
  t.equal(broker.upstream.asked.length, before)
  t.equal((await answer(right)).status, 200, 'and with all of them it does')
})

t.test('an answer of the provider counts once', async t => {
  const browser = broker.browser()
  leftFor(await browser.authorize(ask(broker, await registered(broker)).url, { account: 'alice' }))
  const callback = browser.opened.findLast(({ pathname }) => pathname === '/callback')!

  t.match(shownIn(await browser.go(callback)), { status: 400 })
})

t.test('an answer in the name of another provider does not count', async t => {
  const browser = broker.browser()
  const { url } = ask(broker, await registered(broker))
  const asked = shownIn(await browser.go(url))
  const state = (await onward(browser, asked)).searchParams.get('state')!
  const mixedUp = new URLSearchParams({ state, code: 'of-another', iss: 'https://evil.example' })

  const end = leftFor(await browser.go(`${broker.url}/callback?${mixedUp}`))

  t.match(Object.fromEntries(end), { error: 'server_error' })
  t.notOk(broker.upstream.served.includes('POST /token 400'), 'the code went nowhere')
})

t.test('the provider is asked with state, nonce and PKCE, and for no resource', async t => {
  leftFor(await broker.browser().authorize(ask(broker, await registered(broker)).url, { account: 'alice' }))
  const asked = Object.fromEntries(broker.upstream.asked.at(-1)!)

  t.match(asked, { state: /.{43}/, nonce: /.{43}/, code_challenge: /.{43}/, code_challenge_method: 'S256' })
  t.equal(asked['redirect_uri'], `${broker.url}/callback`)
  t.notOk('resource' in asked)
})

t.test('users outside of ALLOWED_USERS get nothing, nor do those whom the provider refuses', async t => {
  for (const account of ['mallory', 'eve', undefined]) {
    const { url, state } = ask(broker, await registered(broker))
    const answer = leftFor(await broker.browser().authorize(url, { account }))

    t.match(Object.fromEntries(answer), { error: 'access_denied', state }, account ?? 'refused')
  }
})

t.test('whoever used this browser before has no part in a sign-in', async t => {
  const browser = await signedIn('alice')
  browser.forget(broker.upstream.issuer)
  const clientId = await registered(broker)
  const { url, verifier } = ask(broker, clientId)

  const answer = leftFor(await browser.authorize(url, { account: 'bob' }))

  const { body } = await exchange(broker, clientId, answer.get('code')!, verifier)
  t.equal(payloadOf(body.access_token).sub, 'bob')
})

t.test('what a client calls itself is text, and cut', async t => {
  const name = `<script>alert(1)</script>\u202e${'x'.repeat(300)}`
  const page = shownIn(await broker.browser().go(ask(broker, await registered(broker, { client_name: name })).url))

  t.match(page.html, '&lt;script&gt;')
  t.notMatch(page.html, '<script>')
  t.notMatch(page.html, '\u202e')
  t.notMatch(page.html, 'x'.repeat(101))
})

t.test('a name that nobody can see is none', async t => {
  const browser = broker.browser()
  const page = shownIn(await browser.go(ask(broker, await registered(broker, { client_name: '\u3164\u200b' })).url))

  t.match(page.html, '<dd dir="auto">client.example</dd>')
})

const inTwoTabs = await registered(broker)

t.test('two questions that a new browser opens at once can both be answered', async t => {
  const browser = broker.browser()
  const both = [ask(broker, inTwoTabs), ask(broker, inTwoTabs)]
  const pages = await Promise.all(both.map(async ({ url }) => shownIn(await browser.go(url))))

  for (const [at, page] of pages.entries()) {
    let next = shownIn(await browser.answer(page, 'allow'))
    if (refreshOf(next) === undefined) next = shownIn(await browser.answer(next, 'allow'))
    const end = leftFor(await browser.authorize(refreshOf(next)!, { account: 'alice' }))
    t.match(Object.fromEntries(end), { code: /./, state: both[at]!.state })
  }
})

t.test('who allows and then refuses has refused', async t => {
  const browser = broker.browser()
  const page = shownIn(await browser.go(ask(broker, inTwoTabs).url))
  const provider = await onward(browser, page)
  await browser.answer(page, 'refuse')

  const end = leftFor(await browser.authorize(provider, { account: 'alice' }))

  t.match(Object.fromEntries(end), { error: 'access_denied' })
})
