// What people with high contrast, with a zoom of 200 % or with unsteady hands need. WCAG 2.2, 1.4.10 and 2.5.8.
import t from 'tap'
import { inCall, openConsole, press } from '../../../../../test/support/browser/console.ts'
import { RACK } from '../../../../../test/support/browser/rack.ts'

const VIEWS = [
  'tools/echo',
  'tools/list_orders',
  'resources',
  'prompts',
  'tasks',
  'activity',
  'messages',
  'connect',
] as const

t.test('with the colours of the system, what is chosen has an outline', async t => {
  const { page, origin } = await openConsole(t, RACK, 'tools/echo', { forcedColors: 'active' })
  const measure = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).outlineStyle`)
  await page.locator('.item[aria-current="true"]').waitFor()
  t.equal(await measure('.item[aria-current="true"]'), 'solid', 'the tool')
  t.equal(await measure('.rail > [aria-current="page"]'), 'solid', 'the section')
  t.equal(await measure('.rail > :not([aria-current])'), 'none', 'other sections have none')
  t.equal(await measure('.tabs > [aria-selected="true"]'), 'solid', 'the tab')
  await page.goto(`${origin}/console/#/activity`)
  await page.locator('.segmented > :is([aria-pressed="true"], :has(input:checked))').first().waitFor()
  t.equal(await measure('.segmented > :is([aria-pressed="true"], :has(input:checked))'), 'solid', 'the segment')
})

t.test('at 200 % nothing scrolls sideways, and everything is large enough to hit', async t => {
  const { page, origin } = await openConsole(t, RACK, 'tools/list_orders')
  await press(page, 'Call')
  await inCall(page, 'OK')
  for (const width of [1440, 720, 390]) {
    await page.setViewportSize({ width, height: width === 1440 ? 900 : 450 })
    for (const view of VIEWS) {
      await page.goto(`${origin}/console/#/${view}`)
      await page.locator('main .pane, main.pane, main section').first().waitFor({ state: 'attached' })
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      t.equal(overflow, 0, `${view} at ${width}`)
      t.strictSame(await page.evaluate(FIND_SMALL), [], `${view} at ${width}: targets of 24 px`)
    }
  }
})

/** Links within a text, and what is out of sight, need not be large. Of a field its label counts, too. */
const FIND_SMALL = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [role="tab"]')]
  .filter(each => each.checkVisibility() && each.getClientRects().length > 0)
  .filter(each => !(each.matches('a, .link-button') && each.closest('p, li, dd, td, .markdown')?.textContent.trim()
    !== each.textContent.trim()))
  .map(each => {
    const boxes = [each, each.closest('label')].filter(Boolean).map(box => box.getBoundingClientRect())
    const width = Math.max(...boxes.map(box => box.width))
    const height = Math.max(...boxes.map(box => box.height))
    const name = each.getAttribute('aria-label') ?? (each.textContent.trim() || each.type)
    return { width, height, text: each.localName + ' ' + each.className + ' "' + name.slice(0, 40) + '" ' }
  })
  // 1 px is for screen readers alone.
  .filter(({ width, height }) => width > 1 && (width < 23.9 || height < 23.9))
  .map(({ width, height, text }) => text + Math.round(width) + '×' + Math.round(height))`
