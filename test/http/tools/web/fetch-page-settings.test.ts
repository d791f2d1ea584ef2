import t from 'tap'
import { build, callTool } from '../../../support/app.ts'
import { errorOf, SHIPPED, setting } from '../../../support/tools/shipped.ts'
import { html, site } from '../../../support/tools/web-servers.ts'

t.test('fetch_page: what the robots.txt of the operator’s name forbids is judged by that name', async t => {
  const { url, host, asked } = await site(t, {
    '/robots.txt': html('User-agent: shelfbot\nDisallow: /\n', 'text/plain'),
    '/': html('hello'),
  })
  setting(t, 'FETCH_ALLOW', host)
  setting(t, 'FETCH_USER_AGENT', 'ShelfBot/2.0 (+https://shelf.example/bot)')

  const result = await callTool(await build(t, SHIPPED), 'fetch_page', { url })

  t.match(errorOf(result), /asks programs not to read this page/)
  t.equal(asked[0]!.headers['user-agent'], 'ShelfBot/2.0 (+https://shelf.example/bot)')
})

for (const [name, value] of Object.entries({ FETCH_ALLOW: 'http://wiki', FETCH_USER_AGENT: '42\r\nx: y' })) {
  t.test(
    `fetch_page: a ${name} that cannot be used keeps the tool from being served, and the log names it`,
    async t => {
      setting(t, name, value)

      const app = await build(t, SHIPPED)

      await t.rejects(callTool(app, 'fetch_page', { url: 'http://example.org' }), /Unknown tool/)
      t.match(app.logs.text, name)
    },
  )
}
