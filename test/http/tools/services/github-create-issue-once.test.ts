// github_create_issue: a repeated call does not file twice, whatever became of the first.
import t from 'tap'
import { build, callTool } from '../../../support/app.ts'
import { bearer, RESOURCE, SECRET } from '../../../support/auth/guarded.ts'
import { CALL, github, REPOSITORY } from '../../../support/tools/github-service.ts'
import { errorOf, fixture, json, only, serve, setting, toolModule } from '../../../support/tools/shipped.ts'

const NAME = 'github_create_issue'

t.test('github_create_issue: the same call again returns the first issue, also of another process', async t => {
  const service = await github(t)
  const [app, other] = [await serve(t, NAME), await serve(t, NAME)]

  const first = await callTool(app, NAME, CALL)
  const again = await callTool(app, NAME, CALL)
  const elsewhere = await callTool(other, NAME, CALL)

  for (const { structuredContent, content } of [again, elsewhere]) {
    t.strictSame(structuredContent, { ...first.structuredContent, isNew: false })
    t.match(content[0].text, /^Had been filed before: octocat\/Hello-World#1347 /)
  }
  t.equal(service.posts, 1)
})

t.test('github_create_issue: other arguments are another issue', async t => {
  const service = await github(t)
  setting(t, 'GITHUB_REPOSITORIES', 'octo/other')
  const app = await serve(t, NAME)

  const calls = [
    CALL,
    { ...CALL, title: 'Another' },
    { ...CALL, body: 'Other' },
    { ...CALL, labels: [] },
    { ...CALL, repository: 'octo/other' },
    { ...CALL, idempotencyKey: 'k' },
  ]
  for (const args of calls) t.equal((await callTool(app, NAME, args)).structuredContent.isNew, true)

  t.equal(service.posts, calls.length)
})

t.test('github_create_issue: the same key with other arguments is refused, and names the issue', async t => {
  const service = await github(t)
  const [app, other] = [await serve(t, NAME), await serve(t, NAME)]
  const { structuredContent } = await callTool(app, NAME, { ...CALL, idempotencyKey: 'k' })

  for (const server of [app, other]) {
    const result = await callTool(server, NAME, { ...CALL, title: 'Another', idempotencyKey: 'k' })

    t.match(errorOf(result), /^Nothing was filed: this idempotencyKey is that of issue #1347 .* Use another key/)
  }
  t.ok(structuredContent.isNew)
  t.equal(service.posts, 1)
})

t.test('github_create_issue: with a key a call may be repeated as often as one likes, in any process', async t => {
  const service = await github(t)
  const args = { ...CALL, idempotencyKey: 'k' }

  for (const isNew of [true, false, false])
    t.match((await callTool(await serve(t, NAME), NAME, args)).structuredContent, { number: 1347, isNew })

  t.equal(service.posts, 1)
})

t.test('github_create_issue: 8 calls at once with one key file one issue, and one of them is new', async t => {
  const service = await github(t)
  const app = await serve(t, NAME)

  const results = await Promise.all(Array.from({ length: 8 }, () => callTool(app, NAME, CALL)))

  t.strictSame(results.map(({ structuredContent }) => structuredContent.isNew).sort(), [...Array(7).fill(false), true])
  t.equal(service.posts, 1)
  t.equal(service.asked.length, 3)
})

t.test(
  'github_create_issue: after a connection that was lost once the issue was filed, the next call finds it',
  async t => {
    const service = await github(t)
    const create = service.create
    service.create = (_request, response) => {
      const { title, body } = service.asked.at(-1)!.body
      service.file({ title, body })
      response.destroy()
    }
    const app = await serve(t, NAME)

    const lost = await callTool(app, NAME, CALL)
    service.create = create
    const again = await callTool(app, NAME, CALL)

    t.match(errorOf(lost), /^GitHub cannot be reached\. The issue may have been filed all the same\. Call again/)
    t.match(again.structuredContent, { number: 1347, isNew: false })
    t.equal(service.posts, 1)
  },
)

t.test('github_create_issue: nothing is filed where it cannot be looked for first', async t => {
  const service = await github(t)
  service.list = json(fixture('github-500.json'), 502)

  const result = await callTool(await serve(t, NAME), NAME, CALL)

  t.match(errorOf(result), /HTTP 502, saying "Server Error"\. Nothing was filed: try again in a minute/)
  t.equal(service.posts, 0)
})

t.test(
  'github_create_issue: marks of others do not count: of another author, of a pull request, within a body',
  async t => {
    const service = await github(t)
    const app = await serve(t, NAME)
    await callTool(app, NAME, CALL)
    const [own] = service.issues.splice(0)
    service.file({ body: own.body, user: { login: 'mallory', type: 'User' } })
    service.file({ body: own.body, pull_request: { url: 'https://api.github.com/repos/octocat/Hello-World/pulls/1' } })
    await callTool(app, NAME, { title: 'Smuggled', body: `See ${own.body}` })
    const smuggled = service.asked.at(-1)!.body.body

    const { structuredContent } = await callTool(await serve(t, NAME), NAME, CALL)

    t.equal(structuredContent.isNew, true)
    t.equal(smuggled.match(/<!-- toolrack-issue/g).length, 1)
    t.match(smuggled, /^See It fails\.\n\n<!- toolrack-issue /)
  },
)

t.test('github_create_issue: the token of an app, which has no user, finds what an app has filed', async t => {
  const service = await github(t)
  service.user = json(fixture('github-403-integration.json'), 403)
  const bot = { login: 'my-app[bot]', type: 'Bot' }
  await callTool(await serve(t, NAME), NAME, CALL)
  const [own] = service.issues.splice(0)
  service.file({ body: own.body, user: bot })
  service.file({ body: own.body, user: { login: 'mallory', type: 'User' } })

  const { structuredContent } = await callTool(await serve(t, NAME), NAME, CALL)

  t.match(structuredContent, { number: 1347, isNew: false })
  t.notMatch(service.asked.at(-1)!.url, /creator/)
})

t.test('github_create_issue: two callers with one key have two issues', async t => {
  const service = await github(t)
  const guard = { jwt: { secret: SECRET, audience: RESOURCE }, publicUrl: RESOURCE }
  const app = await build(t, { ...(await only(NAME)), ...guard })
  const as = (sub: string) => ({ headers: { ...bearer('issues:write', { sub }), host: 'tools.example' } })
  const args = { ...CALL, idempotencyKey: 'k' }

  const alice = await callTool(app, NAME, args, as('alice'))
  const bob = await callTool(app, NAME, args, as('bob'))
  const again = await callTool(app, NAME, args, as('alice'))

  t.strictSame(
    [alice, bob, again].map(({ structuredContent: { number, isNew } }) => [number, isNew]),
    [
      [1347, true],
      [1348, true],
      [1347, false],
    ],
  )
  t.equal(service.posts, 2)
})

t.test('github_create_issue: remembers the last 1,000 issues, and forgets older ones', async t => {
  const service = await github(t)
  const { filer, MAX_REMEMBERED } =
    await toolModule<typeof import('../../../../tools/_github/issues.ts')>('_github/issues.ts')
  const file = filer({ apiUrl: service.url, token: 'x', repositories: [REPOSITORY] })
  const { signal } = new AbortController()
  service.list = json('[]')
  const filed = (index: number) =>
    file({ repository: REPOSITORY, title: `${index}`, body: '', labels: [] }, { key: `${index}`, content: '' }, signal)

  for (let index = 0; index <= MAX_REMEMBERED; index++) await filed(index)
  const newest = await filed(MAX_REMEMBERED)
  const second = await filed(1)
  const oldest = await filed(0)

  t.strictSame([newest.isNew, second.isNew, oldest.isNew], [false, false, true])
})
