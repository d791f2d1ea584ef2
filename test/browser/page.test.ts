// The page at the endpoint, in a browser: for everybody to read, and nothing of a hostile tool runs in it.
import t from 'tap'
import { defineTool } from '../../src/index.ts'
import { listening } from '../support/app.ts'
import { assertAccessible } from '../support/browser/axe.ts'
import { openPage } from '../support/browser/page.ts'
import { RACK } from '../support/browser/rack.ts'
import { measureOverflow, takeScreenshots } from '../support/browser/screenshots.ts'
import { PAYLOADS } from '../support/console/payloads.ts'

/** Opens what is folded up. */
const UNFOLD = 'for (const each of document.querySelectorAll("details")) each.open = true'

t.test('the page is accessible, and fits a phone', async t => {
  const { url } = await listening(t, { ...RACK, title: 'The rack', instructions: 'Be kind.' })
  const { page } = await openPage(t, new URL('/', url).href)
  await page.evaluate(UNFOLD)

  await assertAccessible(t, page, 'the page')
  t.equal(await measureOverflow(page), 0)
  await takeScreenshots(page, 'page')
})

t.test('its style applies under its own policy', async t => {
  const { url } = await listening(t, RACK)
  const { page } = await openPage(t, url)

  t.equal(await page.evaluate('getComputedStyle(document.body).maxWidth'), '896px')
})

t.test('nothing of a hostile tool runs, loads or breaks the policy', async t => {
  const tools = PAYLOADS.map((payload, at) =>
    defineTool({
      name: `hostile_${at}`,
      title: payload,
      description: payload,
      inputSchema: { type: 'object', properties: { [payload]: { type: 'string', enum: [payload] } } },
      handler: () => 'x',
    }),
  )
  const { url } = await listening(t, { tools, title: PAYLOADS.join(''), instructions: PAYLOADS.join('\n') })
  const { page, faults, requests } = await openPage(t, url)
  await page.evaluate(UNFOLD)

  t.strictSame(faults, [])
  t.strictSame(
    requests.filter(each => !each.startsWith('data:')),
    [url],
  )
  t.equal(await page.locator('.tools > li').count(), PAYLOADS.length)
  t.equal(await page.locator('script, iframe, svg, img, form, input, base').count(), 0)
})
