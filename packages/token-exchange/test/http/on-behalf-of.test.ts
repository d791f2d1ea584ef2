// Tokens for other services on behalf of callers: what the authorization server is asked, what a
// tool is given, and when it is asked again.
import t from 'tap'
import { type App, build, callTool } from '../../../../test/support/app.ts'
import {
  ALICE,
  asking,
  CLIENT_SECRET,
  exchangeSettings,
  onBehalf,
  subjectOf,
} from '../../../../test/support/auth/on-behalf.ts'
import {
  giveTokens,
  json,
  refuseTokens,
  type TokenAnswer,
  type TokenService,
  tokenService,
} from '../../../../test/support/auth/token-service.ts'
import { nowS } from '../../../../test/support/auth/tokens.ts'
import { until } from '../../../../test/support/eventually.ts'

const REPORTS = { audience: 'reports' }
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** In the log. */
const NO_TOKEN = /^the authorization server gave no token/

const textOf = (result: { content: { text: string }[] }) => result.content[0]!.text

/** Calls the tool, which has to be given a token. @returns the token */
async function ask(app: App, given: { tokens: string[] }, request: object = REPORTS, from = ALICE): Promise<string> {
  const result = await callTool(app, 'ask', request, from)
  if (result.isError) throw new Error(textOf(result))
  return given.tokens.at(-1)!
}

/** Calls the tool, which is given none. @returns what the model reads */
async function refused(app: App, request: object = REPORTS, from = ALICE): Promise<string> {
  const result = await callTool(app, 'ask', request, from)
  if (!result.isError) throw new Error('a token was given')
  return textOf(result)
}

/** An answer that waits until the test lets it go. */
function held(answer: TokenAnswer) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const wait: TokenAnswer = (...asked) => void promise.then(() => answer(...asked))
  return { wait, letGo: resolve }
}

t.test('a token exchange has the token of the caller, and what it is for (RFC 8693, 2.1)', async t => {
  const service = await tokenService(t)
  const { app, given } = await onBehalf(t, service)

  const token = await ask(app, given, { audience: 'reports', resource: 'https://reports.example', scope: 'b a b' })

  t.match(token, /^given\..*\.reports\./)
  t.strictSame(service.asked, [
    {
      form: {
        subject_token: ALICE.token,
        subject_token_type: TOKEN_TYPE,
        requested_token_type: TOKEN_TYPE,
        audience: 'reports',
        resource: 'https://reports.example',
        scope: 'a b',
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      },
      client: ['basic', 'tools of ours', CLIENT_SECRET],
    },
  ])
})

t.test('in the form of Entra it is an assertion, with scopes of the service', async t => {
  const service = await tokenService(t)
  const { app, given } = await onBehalf(t, service, { tokenExchange: { grant: 'jwt-bearer' } })
  const graph = 'https://graph.microsoft.com'

  await ask(app, given, { audience: graph })
  await ask(app, given, { audience: graph, scope: 'User.Read Mail.Read offline_access' })
  await ask(app, given, { scope: [`${graph}/User.Read`] })
  await ask(app, given, { resource: 'api://reports', scope: ['api://reports/read'] })

  t.strictSame(service.asked[0], {
    form: {
      assertion: ALICE.token,
      requested_token_use: 'on_behalf_of',
      scope: `${graph}/.default`,
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    },
    client: ['post', 'tools of ours', CLIENT_SECRET],
  })
  t.strictSame(
    service.asked.map(({ form }) => form['scope']),
    [
      `${graph}/.default`,
      `${graph}/Mail.Read ${graph}/User.Read offline_access`,
      `${graph}/User.Read`,
      'api://reports/read',
    ],
  )
})

t.test('a token is kept: equal requests ask once, whatever the order of the scopes, also at once', async t => {
  const service = await tokenService(t)
  const { app, given } = await onBehalf(t, service)
  const { wait, letGo } = held(giveTokens())
  service.answer = wait

  const first = Promise.all([
    callTool(app, 'ask', { audience: 'reports', scope: 'a b' }, ALICE),
    callTool(app, 'ask', { audience: 'reports', scope: ['b', 'a'] }, ALICE),
  ])
  await until(() => service.asked.length > 0, 'the first is asked')
  letGo()
  await first
  await ask(app, given, { audience: 'reports', scope: 'b a' })

  t.equal(service.asked.length, 1)
  t.equal(new Set(given.tokens).size, 1)
  await ask(app, given, { audience: 'reports', scope: 'a' })
  await ask(app, given, { audience: 'other', scope: 'a b' })
  t.equal(new Set(given.tokens).size, 3, 'another scope or audience is another token')
})

t.test('B37: nobody gets the token that somebody else was given', async t => {
  const service = await tokenService(t)
  const { app, given } = await onBehalf(t, service)
  const callers = [
    ALICE,
    subjectOf({ sub: 'bob' }),
    subjectOf({ sub: 'alice', iss: 'https://other.example' }),
    subjectOf({ sub: 'alice', iss: undefined }),
    subjectOf({ sub: '["https://as.example","alice"]', iss: undefined }),
    subjectOf({ sub: 'alice', scope: 'read write' }),
    subjectOf({ sub: 'alice', scope: '' }),
    subjectOf({ sub: 'alice', jti: 'another of the same' }),
  ]

  const answers = new Map<string, Set<string>>()
  for (let round = 0; round < 3; round++)
    for (const caller of callers) {
      const token = await ask(app, given, REPORTS, caller)
      answers.set(caller.token, (answers.get(caller.token) ?? new Set()).add(token))
    }

  t.equal(service.asked.length, callers.length)
  t.ok([...answers.values()].every(tokens => tokens.size === 1))
  t.equal(new Set([...answers.values()].flatMap(tokens => [...tokens])).size, callers.length)
  t.strictSame(
    service.asked.map(({ form }) => form['subject_token']),
    callers.map(({ token }) => token),
  )
})

t.test('a token of unknown life, or that is about to expire, is not kept', async t => {
  for (const expiresInS of [null, 0]) {
    const service = await tokenService(t, giveTokens(expiresInS))
    const { app, given } = await onBehalf(t, service)
    t.not(await ask(app, given), await ask(app, given), String(expiresInS))
  }
})

t.test('an authorization server that refuses is quoted by its error, in one clean line', async t => {
  const service = await tokenService(t)
  const { app } = await onBehalf(t, service)
  service.answer = ({ form }, response) =>
    json(response, 400, {
      error: 'invalid_target',
      error_description: `no\nsuch \u001b[31maudience for ${form['subject_token']} of ${CLIENT_SECRET} ${'x'.repeat(9999)}`,
      secret_detail: 'kept to itself',
    })

  const text = await refused(app)

  t.match(text, /no token for reports on behalf of this caller \(invalid_target: no such .*audience/)
  t.ok(text.length < 600)
  const said = `${text}${app.logs.text}${app.audit.text}`
  for (const secret of [ALICE.token, CLIENT_SECRET, 'kept to itself', '\u001b']) t.notOk(said.includes(secret), secret)
  await refused(app)
  t.equal(service.asked.length, 2, 'it is asked again')
})

t.test('that the user has to act first is said, and is in the log', async t => {
  const service = await tokenService(t)
  const { app } = await onBehalf(t, service, { tokenExchange: { grant: 'jwt-bearer' } })
  const answers = [
    { error: 'interaction_required', error_description: 'AADSTS50076: use multi-factor authentication.' },
    { error: 'invalid_grant', suberror: 'consent_required', error_description: 'AADSTS65001: not consented.' },
    { error: 'invalid_grant', claims: '{"access_token":{}}', error_description: 'AADSTS50158: external challenge.' },
  ]
  for (const answer of answers) {
    service.answer = refuseTokens(answer)
    t.match(
      await refused(app, { audience: `api://${answer.error_description.slice(0, 11)}` }),
      /The user has to consent/,
    )
  }
  const lines = app.logs.lines.filter(({ msg }) => NO_TOKEN.test(msg))
  t.match(
    lines,
    answers.map(({ error }) => ({ level: 40, needsUser: true, reason: new RegExp(`^${error}: AADSTS`) })),
  )

  service.answer = refuseTokens({ error: 'invalid_client' }, 401)
  t.notMatch(await refused(app, { audience: 'api://other' }), /The user/)
})

t.test('an answer that is no token is never used, and never quoted', async t => {
  const token = { access_token: 'canary-token-of-an-odd-answer', token_type: 'Bearer', expires_in: 60 }
  const answers: Record<string, TokenAnswer> = {
    HTML: (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>canary-html</h1>'),
    'broken JSON': (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"canary-json'),
    'an array': (_, response) => json(response, 200, [token]),
    'no token': (_, response) => json(response, 200, { ...token, access_token: undefined }),
    'a token with a line break': (_, response) => json(response, 200, { ...token, access_token: 'canary-a\r\nb: c' }),
    'a token that is bound to a key': (_, response) => json(response, 200, { ...token, token_type: 'DPoP' }),
    'an ID token': (_, response) =>
      json(response, 200, { ...token, issued_token_type: 'urn:ietf:params:oauth:token-type:id_token' }),
    'a refresh token': (_, response) =>
      json(response, 200, { ...token, issued_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }),
    'a token of 70 KB': (_, response) => json(response, 200, { ...token, access_token: 'canary'.repeat(12_000) }),
    'a server error': (_, response) => json(response, 500, { error: 'canary-error' }),
    'a redirect': ({ form }, response) =>
      void response.writeHead(307, { location: `/token?canary=${form['audience']}` }).end(),
    'a connection that drops': (_, response) => void response.destroy(),
  }
  for (const [what, answer] of Object.entries(answers)) {
    const service = await tokenService(t, answer)
    const { app } = await onBehalf(t, service)
    t.match(await refused(app), /no token for reports on behalf of this caller: it gave no usable answer/, what)
    t.equal(service.asked.length, 1, `${what}: asked once`)
    t.notMatch(app.logs.text, /canary/, what)
    t.match(
      app.logs.lines.find(({ msg }) => NO_TOKEN.test(msg)),
      { service: 'reports', reason: /./ },
      what,
    )
  }
})

t.test('an ID token or a refresh token beside the access token is dropped', async t => {
  const service = await tokenService(t, (_, response) =>
    json(response, 200, { access_token: 'opaque-access-token', token_type: 'bearer', id_token: 'x', refresh_token: 7 }),
  )
  const { app, given } = await onBehalf(t, service)
  t.equal(await ask(app, given), 'opaque-access-token')
})

t.test('an authorization server that does not answer is not waited for without end', async t => {
  const { mock } = await import('node:test')
  const giveUp = new AbortController()
  const { mock: mocked } = mock.method(AbortSignal, 'timeout', () => giveUp.signal)
  t.teardown(() => mocked.restore())
  const service = await tokenService(t, () => {})
  const { app } = await onBehalf(t, service)

  const answer = refused(app)
  await until(() => service.asked.length === 1, 'it is asked')
  giveUp.abort(new DOMException('', 'TimeoutError'))

  t.match(await answer, /no usable answer/)
  t.match(app.logs.text, /no answer in 5000 ms/)
})

t.test('a call that is cancelled stops waiting; the answer serves the next', async t => {
  const { wait, letGo } = held(giveTokens())
  const service = await tokenService(t, wait)
  const { app, given } = await onBehalf(t, service, { limits: { toolTimeout: 50 } })

  t.match(await refused(app), /timed out/)
  letGo()
  await until(async () => (await callTool(app, 'ask', REPORTS, ALICE)).isError !== true, 'a token is there')

  t.equal(service.asked.length, 1)
  t.ok(given.tokens.length >= 1)
})

t.test('a token that has expired meanwhile gets no others, and nobody is asked', async t => {
  const service = await tokenService(t)
  const { app } = await onBehalf(t, service)
  t.match(await refused(app, REPORTS, subjectOf({ exp: nowS() - 5 })), /token has expired/)
  t.equal(service.asked.length, 0)
})

t.test('what is asked for wrongly is refused here, and says what is expected', async t => {
  const service = await tokenService(t)
  const { app } = await onBehalf(t, service)
  const wrong = [
    {},
    { scope: '' },
    { scope: [] },
    { audience: '' },
    { audience: 'a b' },
    { audience: 'a\nb' },
    { audience: 'a'.repeat(2049) },
    { audience: 7 },
    { audience: ['a'] },
    { resource: null },
    { scope: 7 },
    { scope: {} },
    { scope: [7] },
    { scope: ['a b'] },
    { scope: Array(65).fill('a') },
    { scope: 'a'.repeat(2049) },
  ]
  for (const request of wrong) t.match(await refused(app, request), /^tokenFor: expected/, JSON.stringify(request))
  t.equal(service.asked.length, 0)
})

t.test('the token endpoint is found in the metadata of the issuer, once', async t => {
  const service = await tokenService(t)
  const { app, given } = await onBehalf(t, service, {
    tokenExchange: { url: undefined },
    jwt: { issuer: service.issuer },
  })
  const from = subjectOf({ iss: service.issuer })

  await Promise.all(['a', 'b', 'c'].map(audience => callTool(app, 'ask', { audience }, from)))
  await ask(app, given, { audience: 'd' }, from)

  t.equal(service.discoveries, 1)
  t.strictSame(
    service.asked.map(({ client }) => client[0]),
    ['basic', 'basic', 'basic', 'basic'],
  )
})

t.test('the metadata decides how the client authenticates, and is asked again after a failure', async t => {
  const service = await tokenService(t)
  const { metadata } = service
  const { app, given } = await onBehalf(t, service, {
    tokenExchange: { url: undefined },
    jwt: { issuer: service.issuer },
  })
  const from = subjectOf({ iss: service.issuer })
  const unusable = [
    { ...metadata, issuer: 'https://other.example' },
    { ...metadata, token_endpoint: undefined },
    { ...metadata, token_endpoint: 'http://as.example/token' },
    { ...metadata, token_endpoint: 'file:///etc/passwd' },
    { ...metadata, padding: 'x'.repeat(300_000) },
  ]
  for (const [index, each] of unusable.entries()) {
    service.metadata = each
    t.match(await refused(app, REPORTS, from), /no usable answer/, JSON.stringify(each).slice(0, 200))
    t.equal(service.discoveries, index + 1)
  }
  t.equal(service.asked.length, 0)

  service.metadata = { ...metadata, token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_post'] }
  await ask(app, given, REPORTS, from)
  t.strictSame(service.asked[0]!.client, ['post', 'tools of ours', CLIENT_SECRET])
})

t.test('a server that is not set up for it says what to set', async t => {
  const given = { tokens: [] }
  const { jwt, publicUrl } = exchangeSettings({ tokenUrl: '' } as TokenService)
  const app = await build(t, { jwt, publicUrl, tools: [asking(given)] })
  t.match(await refused(app), /TOKEN_EXCHANGE_CLIENT_ID and TOKEN_EXCHANGE_CLIENT_SECRET/)
})

t.test('one caller has 16 exchanges under way at most, and others go on', async t => {
  const { wait, letGo } = held(giveTokens())
  const service = await tokenService(t, wait)
  const { app } = await onBehalf(t, service)
  const names = Array.from({ length: 16 }, (_, index) => `a${index}`)

  const first = names.map(audience => callTool(app, 'ask', { audience }, ALICE))
  await until(() => service.asked.length === 16, 'all are asked')
  t.match(await refused(app, { audience: 'one-more' }), /Too many tokens/)
  const others = callTool(app, 'ask', REPORTS, subjectOf({ sub: 'bob' }))
  await until(() => service.asked.length === 17, 'bob is served')
  letGo()

  t.ok((await Promise.all([...first, others])).every(({ isError }) => isError !== true))
})

t.test('exchanges are counted by their outcome', async t => {
  const service = await tokenService(t)
  const { app, given } = await onBehalf(t, service)
  const metric = async () => {
    const lines = (await app.toolrack.metrics())
      .split('\n')
      .filter(line => /^toolrack_token_exchanges_total/.test(line))
    return Object.fromEntries(lines.map(line => [/outcome="(\w+)"/.exec(line)![1], Number(line.split(' ').at(-1))]))
  }
  t.strictSame(await metric(), { ok: 0, refused: 0, failed: 0, cached: 0 })

  await ask(app, given)
  await ask(app, given)
  service.answer = refuseTokens({ error: 'invalid_target' })
  await refused(app, { audience: 'b' })
  service.answer = (_, response) => void response.destroy()
  await refused(app, { audience: 'c' })

  t.strictSame(await metric(), { ok: 1, refused: 1, failed: 1, cached: 1 })
})
