import t, { type Test } from 'tap'
import { build, call, callTool } from '../../../support/app.ts'
import { bearer, RESOURCE, SECRET } from '../../../support/auth/guarded.ts'
import { CALL, github, REPOSITORY, TOKEN } from '../../../support/tools/github-service.ts'
import { errorOf, only, SHIPPED, serve, setting, toolModule } from '../../../support/tools/shipped.ts'

const NAME = 'github_create_issue'

async function listed(t: Test) {
  const app = await build(t, SHIPPED)
  const { tools } = (await call(app, 'tools/list')).result
  return { app, tool: tools.find(({ name }: { name: string }) => name === NAME) }
}

t.test('github_create_issue: files an issue where the settings say, and returns it', async t => {
  const service = await github(t)

  const result = await callTool(await serve(t, NAME), NAME, CALL)

  t.strictSame(result.structuredContent, {
    number: 1347,
    url: 'https://github.com/octocat/Hello-World/issues/1347',
    title: 'Found a bug',
    repository: REPOSITORY,
    isNew: true,
    labels: ['bug'],
  })
  t.equal(result.content[0].text, `Filed: ${REPOSITORY}#1347 https://github.com/octocat/Hello-World/issues/1347`)
  const [user, list, create] = service.asked
  t.equal(user!.url, '/user')
  t.match(list!.url, /^\/repos\/octocat\/Hello-World\/issues\?/)
  t.strictSame(Object.fromEntries(new URLSearchParams(list!.url.split('?')[1])), {
    creator: 'octocat',
    state: 'all',
    sort: 'created',
    direction: 'desc',
    per_page: '100',
  })
  t.equal(create!.url, '/repos/octocat/Hello-World/issues')
  t.match(create!.body, { title: 'Found a bug', labels: ['bug'] })
  t.match(create!.body.body, /^It fails\.\n\n<!-- toolrack-issue [0-9a-f]{32} [0-9a-f]{32} -->$/)
  for (const { headers } of service.asked) {
    t.equal(headers.authorization, `token ${TOKEN}`)
    t.equal(headers['x-github-api-version'], '2022-11-28')
    t.match(headers['user-agent'], /^toolrack /)
  }
})

t.test('github_create_issue: title alone is enough', async t => {
  const service = await github(t)

  const { structuredContent } = await callTool(await serve(t, NAME), NAME, {
    title: 'Found a bug',
  })

  t.match(structuredContent, { isNew: true, labels: [] })
  t.match(service.asked.at(-1)!.body.body, /^<!-- toolrack-issue \w+ \w+ -->$/)
})

t.test('github_create_issue: says which labels GitHub has left out', async t => {
  const service = await github(t)
  service.create = (_request, response) =>
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(service.file({ labels: [] })))

  const { structuredContent } = await callTool(await serve(t, NAME), NAME, CALL)

  t.strictSame(structuredContent.labels, [])
})

t.test('github_create_issue: another repository of the list may be named, any other not', async t => {
  const service = await github(t)
  setting(t, 'GITHUB_REPOSITORIES', 'octo/other, OCTOCAT/hello-world,octo/third.js')
  const { app, tool } = await listed(t)

  const { structuredContent } = await callTool(app, NAME, { ...CALL, repository: 'octo/other' })
  const refused = await callTool(app, NAME, { ...CALL, repository: 'evil/repo' })

  t.strictSame(tool.inputSchema.properties.repository.enum, [REPOSITORY, 'octo/other', 'octo/third.js'])
  t.equal(structuredContent.repository, 'octo/other')
  t.equal(service.asked.at(-1)!.url, '/repos/octo/other/issues')
  t.match(errorOf(refused), /repository/)
  t.equal(service.posts, 1)
})

t.test('github_create_issue: without GITHUB_REPOSITORY the first of GITHUB_REPOSITORIES is meant', async t => {
  await github(t)
  setting(t, 'GITHUB_REPOSITORY', undefined)
  setting(t, 'GITHUB_REPOSITORIES', 'octo/first,octo/second')

  const { structuredContent } = await callTool(await serve(t, NAME), NAME, CALL)

  t.equal(structuredContent.repository, 'octo/first')
})

t.test(
  'github_create_issue: its annotations hold for every call, so they promise no more than one without a key',
  async t => {
    await github(t)

    const { tool } = await listed(t)

    t.strictSame(tool.annotations, {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    })
  },
)

for (const name of ['GITHUB_TOKEN', 'GITHUB_REPOSITORY']) {
  t.test(`github_create_issue: is not served without ${name}`, async t => {
    await github(t)
    setting(t, name, undefined)

    const { tool } = await listed(t)

    t.equal(tool, undefined)
  })
}

for (const [name, value, fault] of [
  ['GITHUB_TOKEN', 'ghp_x\n', 'expected a token without spaces and line breaks'],
  ['GITHUB_REPOSITORY', 'octocat', 'expected owner/name, not "octocat"'],
  ['GITHUB_REPOSITORY', 'a/b,a/c', 'expected one repository'],
  ['GITHUB_REPOSITORY', 'a/..', 'expected owner/name, not "a/.."'],
  ['GITHUB_REPOSITORIES', 'a/b,https://github.com/a/c', 'expected owner/name, not "https://github.com/a/c"'],
  ['GITHUB_API_URL', 'api.github.com', 'expected a plain http(s) URL, such as https://api.github.com'],
  ['GITHUB_API_URL', 'https://me:pw@api.github.com', 'expected a plain http(s) URL, such as https://api.github.com'],
] as const) {
  t.test(`github_create_issue: ${name}=${value.trim()} is refused, and says why`, async t => {
    const { githubOf } = await toolModule<typeof import('../../../../tools/_github/settings.ts')>('_github/settings.ts')

    t.throws(() => githubOf({ [name]: value }), { message: `${name}: ${fault}` })
  })
}

t.test(
  'github_create_issue: is not served where a setting is wrong, and the log says why, but not the token',
  async t => {
    await github(t)
    setting(t, 'GITHUB_TOKEN', 'ghp_x\n')

    const { app, tool } = await listed(t)

    t.equal(tool, undefined)
    const line = app.logs.lines.find(({ level }) => level >= 50)
    t.equal(line.reason, 'GITHUB_TOKEN: expected a token without spaces and line breaks')
    t.notMatch(app.logs.text, /ghp_x/)
  },
)

t.test('github_create_issue: what breaks its schema is refused before GitHub is asked', async t => {
  const service = await github(t)
  const app = await serve(t, NAME)

  for (const over of [
    { title: '' },
    { title: ' ' },
    { title: 'two\nlines' },
    { title: 'x'.repeat(257) },
    { title: 'bell \u0007' },
    { body: 'x'.repeat(60_001) },
    { body: 'nul \0' },
    { body: 'escape \u001b[31m' },
    { labels: Array.from({ length: 21 }, (_, index) => `l${index}`) },
    { labels: ['x'.repeat(51)] },
    { labels: [''] },
    { labels: ['a\nb'] },
    { idempotencyKey: '' },
    { assignees: ['octocat'] },
  ]) {
    const result = await callTool(app, NAME, { ...CALL, ...over })

    t.ok(errorOf(result), JSON.stringify(over).slice(0, 50))
  }
  t.strictSame(service.asked, [])
})

t.test('github_create_issue: title and body of the greatest lengths are filed', async t => {
  const service = await github(t)
  const body = `\t${'<!-- toolrack-issue '.repeat(2999)}\r\n`
  const args = { title: 'ä'.repeat(256), body, labels: Array.from({ length: 20 }, (_, index) => `l${index}`) }

  const { structuredContent } = await callTool(await serve(t, NAME), NAME, args)

  t.equal(structuredContent.isNew, true)
  // What GitHub takes.
  t.ok(service.asked.at(-1)!.body.body.length <= 65_536)
})

t.test('github_create_issue: with access control it needs issues:write', async t => {
  await github(t)
  const guard = { jwt: { secret: SECRET, audience: RESOURCE }, publicUrl: RESOURCE }
  const app = await build(t, { ...(await only(NAME)), ...guard })
  const names = async (scope: string) => {
    const { result } = await call(app, 'tools/list', {}, { headers: { ...bearer(scope), host: 'tools.example' } })
    return result.tools.map(({ name }: { name: string }) => name)
  }

  t.notOk((await names('issues:read')).includes(NAME))
  t.ok((await names('issues:write')).includes(NAME))
})
