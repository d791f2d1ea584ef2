// The view "Connect": every client in its group, those that cannot reach the URL with the reason, and their steps.
import t from 'tap'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { openConsole } from '../../../../../test/support/browser/console.ts'
import { RACK } from '../../../../../test/support/browser/rack.ts'
import { measureOverflow } from '../../../../../test/support/browser/screenshots.ts'

t.test('connect: groups of clients, and the steps of the one that the address names', async t => {
  const { page, origin } = await openConsole(t, RACK, 'connect/vscode')
  const clients = page.getByRole('region', { name: 'Clients', exact: true })
  const pane = page.getByRole('region', { name: 'VS Code', exact: true })

  t.strictSame(await clients.getByRole('heading', { level: 3 }).allTextContents(), [
    'Editors and terminals',
    'Frameworks',
    'Chat apps',
    'APIs',
  ])
  t.equal(await clients.locator('.endpoint code').textContent(), `${origin}/mcp`)
  t.equal(await clients.getByRole('link', { name: 'VS Code One click' }).getAttribute('aria-current'), 'true')
  t.match(await pane.getByRole('link', { name: 'Add to VS Code' }).getAttribute('href'), /^vscode:mcp\/install\?/)
  t.match(await pane.locator('pre').first().textContent(), `"url": "${origin}/mcp"`)
  t.match(await pane.textContent(), /Its 7 tools are under the tools button/)
  await pane.getByRole('button', { name: 'Copy .vscode/mcp.json' }).waitFor()
  await pane.getByRole('heading', { name: 'What to know' }).waitFor()

  await assertAccessible(t, page, 'connect')
  t.equal(await measureOverflow(page), 0)
})

t.test('connect: a client that cannot reach the URL says why, and can be read', async t => {
  const { page } = await openConsole(t, RACK, 'connect')

  await page.getByRole('link', { name: 'Claude.ai Needs a public HTTPS URL' }).click()
  const pane = page.getByRole('region', { name: 'Claude.ai', exact: true })
  await pane.getByText('only this machine can open 127.0.0.1').waitFor()
  t.match(await pane.getByRole('listitem').first().textContent(), /^Give the server a public HTTPS address/)
  t.match(page.url(), /#\/connect\/claude$/)
  await assertAccessible(t, page, 'a client that cannot reach the server')
})

t.test('connect: on a phone the cards, then the steps, and back', async t => {
  const { page } = await openConsole(t, RACK, 'connect', { viewport: { width: 390, height: 844 } })

  await page.getByRole('link', { name: 'Codex One command' }).click()
  await page.getByRole('heading', { name: 'Codex', level: 2 }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Cursor One click' }).isVisible(), false)
  await page.getByRole('link', { name: 'Clients' }).click()
  await page.getByRole('link', { name: 'Cursor One click' }).waitFor()
})
