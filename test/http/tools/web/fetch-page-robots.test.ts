import t, { type Test } from 'tap'
import { type Answer, toolModule } from '../../../support/tools/shipped.ts'
import { allowListOf, failureOf, html, redirect, site, webClient } from '../../../support/tools/web-servers.ts'

const { robotsGuard } =
  await toolModule<typeof import('../../../../tools/fetch-page/robots.ts')>('fetch-page/robots.ts')

const text = (body: string): Answer => html(body, 'text/plain')

/** A site with a robots.txt. @returns what says whether a path of it may be read */
async function guarded(t: Test, robots: Answer | undefined, more: Record<string, Answer> = {}, name = 'Toolrack') {
  const { url, host, asked } = await site(t, { ...more, ...(robots && { '/robots.txt': robots }) })
  const permit = robotsGuard(webClient({ allow: allowListOf('FETCH_ALLOW', host) }), name)
  return { asked, permit: (path = '/') => permit(new URL(url + path), new AbortController().signal) }
}

const RULES = `
User-agent: *
Disallow: /

User-agent: Toolrack
Disallow: /private
Allow: /private/open
Disallow: /*.pdf$
`

t.test('robots.txt: the group of our name counts, and in it the longest rule', async t => {
  const { permit, asked } = await guarded(t, text(RULES))

  for (const path of ['/', '/public', '/private/open/x', '/a.pdf?x', '/robots.txt'])
    await t.resolves(permit(path), path)
  for (const path of ['/private', '/private/x?y', '/docs/a.pdf']) {
    t.match(await failureOf(permit(path)), /^ToolError: The robots.txt of .+ asks programs not to read this page/, path)
  }
  t.equal(asked.length, 1, 'it is asked for once')
})

t.test('robots.txt: without a group of our name that of all counts', async t => {
  const { permit } = await guarded(t, text('User-agent: *\nDisallow: /x\n'))

  await t.resolves(permit('/y'))
  t.match(await failureOf(permit('/x')), /asks programs not to read/)
})

for (const status of [400, 401, 403, 404, 410, 429]) {
  t.test(`robots.txt: ${status} allows all`, async t => {
    const { permit } = await guarded(t, (_request, response) => response.writeHead(status).end('Disallow: /'))

    await t.resolves(permit('/x'))
  })
}

for (const status of [500, 503]) {
  t.test(`robots.txt: ${status} allows nothing for now, and is asked for again`, async t => {
    const { permit, asked } = await guarded(t, (_request, response) => response.writeHead(status).end())

    t.match(await failureOf(permit('/x')), new RegExp(`its robots.txt answers HTTP ${status}. Try again later`))
    await failureOf(permit('/x'))
    t.equal(asked.length, 2)
  })
}

t.test('robots.txt: one that cannot be reached allows nothing', async t => {
  const { permit } = await guarded(t, (_request, response) => response.socket?.destroy())

  t.match(await failureOf(permit('/x')), /Try again in a minute/)
})

t.test('robots.txt: redirects are followed', async t => {
  const { permit } = await guarded(t, redirect('/rules'), { '/rules': text('User-agent: *\nDisallow: /x') })

  t.match(await failureOf(permit('/x')), /asks programs not to read/)
})

t.test('robots.txt: of a large one the first 500 KiB count', async t => {
  const filling = `# ${'x'.repeat(97)}\n`.repeat(6_000)
  const { permit } = await guarded(t, text(`User-agent: *\nDisallow: /early\n${filling}Disallow: /late\n`))

  await t.resolves(permit('/late'))
  t.match(await failureOf(permit('/early')), /asks programs not to read/)
})

t.test('robots.txt: a line that the limit cuts in two does not count', async t => {
  const start = 'User-agent: *\n# '
  const filling = 'x'.repeat(500 * 1024 - start.length - '\nDisallow: /'.length)
  const { permit } = await guarded(t, text(`${start}${filling}\nDisallow: /late\n`))

  await t.resolves(permit('/x'))
})

t.test('robots.txt: letters count the same with and without percent-encoding (RFC 9309, 2.2.2)', async t => {
  const { permit } = await guarded(t, text('User-agent: *\nDisallow: /private\nDisallow: /%7Ejoe/\nDisallow: /a%2Fb\n'))

  for (const path of ['/%70rivate', '/p%72ivat%65/x', '/~joe/', '/%7ejoe/', '/a%2fb']) {
    t.match(await failureOf(permit(path)), /asks programs not to read/, path)
  }
  for (const path of ['/a/b', '/%2570rivate']) await t.resolves(permit(path), path)
})

t.test('robots.txt: our name ends with the first slash or space', async t => {
  const rules = text('User-agent: shelfbot\nDisallow: /\n')

  for (const name of ['ShelfBot/2.0 (+https://shelf.example)', 'ShelfBot (+https://shelf.example)', 'ShelfBot']) {
    const { permit } = await guarded(t, rules, {}, name)
    t.match(await failureOf(permit()), /asks programs not to read/, name)
  }
})
