// What is long, empty or out of order does not break the console, on a phone least of all.
import type { Page } from 'playwright-core'
import t from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { goTo, pressCall } from '../../../../../test/support/browser/calls.ts'
import { findCall, inCall, openConsole } from '../../../../../test/support/browser/console.ts'

const PHONE = { width: 390, height: 844 }
const NAME = 'list_pull_request_review_comments_of_a_repository_of_an_organization'

const tools = [
  defineTool({
    name: 'note',
    description: 'Reads `note.md`.',
    handler: () => '#### Stand-up\n\n- Chairs are **late**',
  }),
  defineTool({ name: 'nothing', handler: () => ({ content: [{ type: 'text', text: '[]' }] }) }),
  defineTool({ name: NAME, handler: () => 'x' }),
  defineTool({
    name: 'ask',
    handler: async (_args, ctx) => {
      const title = 'Address of the recipient (https://docs.example/fields/recipient/of-the-newsletter)'
      const properties = { to: { type: 'string', title, default: 'x' } } as const
      return (await ctx.elicit('to', { message: 'To whom?', requestedSchema: { type: 'object', properties } })).action
    },
  }),
]

/** What reaches beyond the right edge of the page. */
const findBeyond = (page: Page, within: string) =>
  page.locator(`${within} *`).evaluateAll(all => {
    const edge = (globalThis as unknown as { innerWidth: number }).innerWidth
    return (all as unknown as Box[]).filter(each => each.getBoundingClientRect().right > edge).length
  })

interface Sizes {
  readonly scrollWidth: number
  readonly clientWidth: number
}

interface Box {
  getBoundingClientRect(): { readonly right: number }
}

t.test('Markdown is accessible on a phone, whatever heading it begins with', async t => {
  const { page } = await openConsole(t, { tools }, 'tools/note')
  await page.setViewportSize(PHONE)
  await pressCall(page)
  await inCall(page, 'Stand-up')
  await assertAccessible(t, page, 'Markdown')
})

t.test('a list shows words in backticks as code; an empty result says that it is', async t => {
  const { page } = await openConsole(t, { tools }, 'tools/nothing')
  t.equal(await page.locator('.item .text').filter({ hasText: 'Reads' }).innerHTML(), 'Reads <code>note.md</code>')
  await pressCall(page)
  await inCall(page, 'The list is empty.')
})

t.test('a long title of a field leaves its × in sight', async t => {
  const { page } = await openConsole(t, { tools }, 'tools/ask')
  await pressCall(page)
  await page.getByRole('dialog').waitFor()
  await page.setViewportSize(PHONE)
  t.equal(await findBeyond(page, 'dialog'), 0)
})

t.test('a long name of a tool leaves its figures in sight', async t => {
  const { page } = await openConsole(t, { tools }, `tools/${NAME}`)
  await pressCall(page)
  await findCall(page).getByText('OK').waitFor()
  await page.setViewportSize({ width: 1440, height: 900 })
  await goTo(page, 'activity')
  const table = page.getByRole('group', { name: 'By tool' })
  await table.getByRole('link', { name: NAME }).waitFor()
  const beyond = await table.evaluate(each => {
    const { scrollWidth, clientWidth } = each as unknown as Sizes
    return scrollWidth - clientWidth
  })
  t.equal(beyond, 0)
})
