// github_create_issue: every answer of GitHub that is no issue tells the model what to do, and never the token.
import http from 'node:http'
import t from 'tap'
import { callTool } from '../../../support/app.ts'
import { CALL, github, TOKEN } from '../../../support/tools/github-service.ts'
import { type Answer, errorOf, fixture, json, serve, setting, upstream } from '../../../support/tools/shipped.ts'

const NAME = 'github_create_issue'
const LATER = /Call again in a minute with exactly the same arguments/

/** The shape that GitHub answers with, by its fixture. */
const refusal = (name: string, status: number, headers: Record<string, string> = {}): Answer => {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(fixture(name))
  }
}

const RESET = Date.UTC(2030, 0, 1) / 1000

const REFUSALS: [string, Answer, RegExp][] = [
  ['401', refusal('github-401.json', 401), /HTTP 401, saying "Bad credentials"\. Do not repeat.*renew GITHUB_TOKEN/],
  [
    'a secondary rate limit',
    refusal('github-403-secondary.json', 403, { 'retry-after': '60' }),
    /HTTP 403, saying "You have exceeded a secondary.*Nothing was filed\..*wait 60 s, then try once/,
  ],
  [
    'a secondary rate limit that does not say for how long',
    refusal('github-403-secondary.json', 403),
    /wait at least a minute, then try once/,
  ],
  [
    'a rate limit',
    refusal('github-403-primary.json', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${RESET}` }),
    /API rate limit exceeded.*wait until 2030-01-01T00:00:00\.000Z/,
  ],
  ['429', json('{}', 429), /HTTP 429\. Nothing was filed\..*wait at least a minute/],
  [
    'a token without the right',
    refusal('github-403-permission.json', 403),
    /not accessible by personal access token"\. Do not repeat.*right to write issues in octocat\/Hello-World/,
  ],
  ['410', refusal('github-410.json', 410), /Issues has been disabled.*takes no issues: use another repository/],
  ['422', refusal('github-422.json', 422), /Validation Failed; body custom body is too long.*Correct the arguments/],
  ['422 with sentences', json('{"message":"Invalid","errors":["Sorry"]}', 422), /saying "Invalid; Sorry"/],
  ['a repository that has moved', refusal('github-301.json', 301), /HTTP 301.*not followed.*check GITHUB_REPOSITORY/],
  ['500', refusal('github-500.json', 500), /HTTP 500, saying "Server Error"\./],
  ['an HTML page', json('<html>', 200), /HTTP 200\. Do not repeat|cannot be used/],
  ['418', json('[]', 418), /HTTP 418\. Do not repeat this call: the operator should check GITHUB_API_URL/],
]

for (const [what, answer, expected] of REFUSALS) {
  t.test(`github_create_issue: ${what} is an error that tells what to do, at each step`, async t => {
    const service = await github(t)
    const app = await serve(t, NAME)
    for (const step of ['create', 'list', 'user'] as const) {
      const before = service[step]
      service[step] = answer

      const result = await callTool(app, NAME, CALL)

      t.match(errorOf(result), expected, step)
      service[step] = before
    }
    t.equal(service.posts, 1)
  })
}

t.test('github_create_issue: a repository that cannot be seen is an error of creating', async t => {
  const service = await github(t)
  service.list = service.create = refusal('github-404.json', 404)

  const result = await callTool(await serve(t, NAME), NAME, CALL)

  t.match(errorOf(result), /HTTP 404, saying "Not Found"\. octocat\/Hello-World does not exist/)
})

t.test('github_create_issue: where nothing can be looked up the process still files once', async t => {
  const service = await github(t)
  service.user = service.list = refusal('github-404.json', 404)
  const app = await serve(t, NAME)

  const results = [await callTool(app, NAME, CALL), await callTool(app, NAME, CALL)]

  t.match(results, [{ structuredContent: { isNew: true } }, { structuredContent: { isNew: false } }])
  t.equal(service.posts, 1)
})

t.test('github_create_issue: a failure of GitHub while it files says that the issue may be there', async t => {
  const service = await github(t)
  const app = await serve(t, NAME)

  for (const answer of [json('{}', 502), json('{"number":"x"}', 201), json('<html>', 201), json('', 201)]) {
    service.create = answer

    const result = await callTool(app, NAME, CALL)

    t.match(errorOf(result), LATER)
  }
  t.equal(service.posts, 4)
})

t.test('github_create_issue: an answer without end is cut', async t => {
  const service = await github(t)
  service.list = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const pour = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536))) {}
      if (!response.destroyed) response.once('drain', pour)
    }
    pour()
  }

  const result = await callTool(await serve(t, NAME), NAME, CALL)

  t.match(errorOf(result), /cannot be used\. Nothing was filed/)
})

t.test('github_create_issue: GitHub has 10 s for each answer', async t => {
  const service = await github(t)
  const { timeout } = AbortSignal
  const askedMs: number[] = []
  t.intercept(AbortSignal, 'timeout', {
    value: (ms: number) => {
      askedMs.push(ms)
      // The last of three, which files it, does not come to its end.
      return timeout.call(AbortSignal, askedMs.length === 3 ? 1500 : ms)
    },
  })
  service.create = (_request, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).write('{"number":')
  }

  const result = await callTool(await serve(t, NAME), NAME, CALL)

  t.match(errorOf(result), /did not answer in time/)
  t.match(errorOf(result), LATER)
  t.strictSame(askedMs, [10_000, 10_000, 10_000])
})

t.test('github_create_issue: a GitHub that refuses connections is an error to retry', async t => {
  await github(t)
  const gone = http.createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => gone.once('listening', resolve))
  const { port } = gone.address() as { port: number }
  await new Promise(resolve => gone.close(resolve))
  setting(t, 'GITHUB_API_URL', `http://127.0.0.1:${port}`)

  const result = await callTool(await serve(t, NAME), NAME, CALL)

  t.equal(errorOf(result), 'GitHub cannot be reached. Nothing was filed: try again in a minute.')
})

for (const status of [301, 302, 307, 308]) {
  t.test(`github_create_issue: ${status} to another host is not followed: neither token nor issue leave`, async t => {
    const service = await github(t)
    let hits = 0
    const elsewhere = await upstream(t, (_request, response) => {
      hits++
      response.end('{}')
    })
    service.create = (_request, response) => response.writeHead(status, { location: `${elsewhere}/issues` }).end()

    const result = await callTool(await serve(t, NAME), NAME, CALL)

    t.match(errorOf(result), /Redirects are not followed/)
    t.equal(hits, 0)
  })
}

t.test('github_create_issue: the token is never shown, not even where GitHub repeats it', async t => {
  const service = await github(t)
  const app = await serve(t, NAME)
  for (const step of ['create', 'list', 'user'] as const) {
    service[step] = json(JSON.stringify({ message: `token ${TOKEN} is bad`, errors: [TOKEN] }), 422)

    const result = await callTool(app, NAME, CALL)

    t.match(errorOf(result), /is bad/)
    t.notMatch(JSON.stringify(result), TOKEN)
  }
  t.notMatch(app.logs.text, TOKEN)
})

t.test('github_create_issue: the longest bodies that issues may have do not keep others from being filed', async t => {
  const service = await github(t)
  for (let index = 0; index < 100; index++) service.file({ body: '😀'.repeat(65_536) })

  const { structuredContent } = await callTool(await serve(t, NAME), NAME, CALL)

  t.match(structuredContent, { isNew: true })
})
