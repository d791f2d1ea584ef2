// Nothing that a tool returns can run, load or navigate; the policy of the page has nothing to stop. The catalogue is in
// test/support/browser/hostile-results.ts.
import t from 'tap'
import { openGallery, show } from '../../../../../test/support/browser/gallery.ts'
import { ARE_PICTURES_LOADED, HOSTILE_RESULTS } from '../../../../../test/support/browser/hostile-results.ts'
import { until } from '../../../../../test/support/eventually.ts'

/** Elements that no result may become. */
const FORBIDDEN = 'script, iframe, object, embed, svg:not(.i), style, link, base, meta, form, video, template, portal'

t.test('there are sixty or more of them', async t => {
  t.ok(HOSTILE_RESULTS.length >= 60)
})

t.test('a hostile result is shown as what it is', async t => {
  const { page, requests, origin } = await openGallery(t)
  // What reads Markdown is a file of the console, which is asked for once.
  await show(page, 'result', { content: [{ type: 'text', text: 'It is **bold**.' }] })
  await page.locator('.result strong').waitFor()
  for (const { name, result, shows } of HOSTILE_RESULTS) {
    requests.length = 0
    await show(page, 'result', result)
    for (const text of shows) {
      await page.locator('.result').getByText(text, { exact: false }).first().waitFor({ state: 'attached' })
    }
    await until(() => page.evaluate<boolean>(ARE_PICTURES_LOADED), 'the page says so')
    t.equal(await page.locator(`.result :is(${FORBIDDEN})`).count(), 0, `${name}: no such element`)
    const links = await page.locator('.result a').evaluateAll(all => all.map(each => (each as unknown as Link).href))
    t.strictSame(
      links.filter(href => !isHarmless(href, origin)),
      [],
      `${name}: links of the web only`,
    )
    t.strictSame(await page.evaluate('[window.ran ?? null, {}.polluted ?? null, document.title, location.href]'), [
      null,
      null,
      'Gallery',
      `${origin}/console/`,
    ])
    t.ok(
      requests.every(url => /^(?:blob|data):/.test(url)),
      `${name}: nothing is asked of a server`,
    )
  }
})

/** A link leads to the web or to a mail program, in a tab of its own, or to the resources of the server. */
const isHarmless = (href: string, origin: string): boolean =>
  /^(?:https?:\/\/|mailto:[^?]*$)/.test(href) &&
  (!href.startsWith(origin) || href.startsWith(`${origin}/console/#/resources/`))

interface Link {
  readonly href: string
}
