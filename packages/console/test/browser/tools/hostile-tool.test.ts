// A hostile tool in the console itself, called by its user: what it says of itself and what it returns stay text.
import t from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { findCall, inCall, openConsole, press } from '../../../../../test/support/browser/console.ts'
import { ARE_PICTURES_LOADED, HOSTILE_RESULTS } from '../../../../../test/support/browser/hostile-results.ts'
import { until } from '../../../../../test/support/eventually.ts'

/** What keeps eval out, and the console. */
const OWN_SCRIPTS = 2

const RUN = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>[x](javascript:window.ran=1)'

/** With a last block, by which the test knows that all of it is shown. */
const RESULTS = HOSTILE_RESULTS.map(({ name, result }, index) => ({
  name,
  end: `the end of ${index}`,
  result: { ...result, content: [...result.content, { type: 'text', text: `the end of ${index}` }] },
}))

t.test('B35: a hostile tool in the console', async t => {
  let next = 0
  const evil = defineTool({
    name: 'evil',
    title: `Evil ${RUN}`,
    description: `${RUN} \u202etxt.exe\u202c`,
    icons: [{ src: 'http://evil.example/icon.png' }],
    inputSchema: {
      type: 'object',
      title: RUN,
      description: RUN,
      properties: { [RUN]: { type: 'string', title: RUN, description: RUN, default: RUN, enum: [RUN, 'other'] } },
    },
    handler: () => RESULTS[next++]!.result as never,
  })
  const { page, requests, origin } = await openConsole(t, { tools: [evil], rateLimit: { max: 1_000 } }, 'tools/evil')

  const result = findCall(page)
  // The server refuses invalid and huge results before the console has them.
  const refused = result.getByText(/evil returned (?:an invalid result|a result that is too large)/)
  for (const { name, end } of RESULTS) {
    await press(page, 'Call')
    await result
      .getByText(new RegExp(`${end}$`))
      .or(refused)
      .first()
      .waitFor()
    await until(() => page.evaluate<boolean>(ARE_PICTURES_LOADED), 'the page says so')
    const isIntact = '[window.ran ?? null, {}.polluted ?? null, document.querySelectorAll("script, iframe").length]'
    t.strictSame(await page.evaluate(isIntact), [null, null, OWN_SCRIPTS], name)
  }

  t.strictSame(
    requests.filter(url => !url.startsWith(`${origin}/`) && !/^(?:blob|data):/.test(url)),
    [],
    'nothing is asked of others',
  )
})

t.test('B36: patterns that backtrack for ever do not hold the page', async t => {
  const slow = '^(a+)+$'
  const evil = defineTool({
    name: 'slow',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', pattern: slow, default: `${'a'.repeat(60)}!` } },
      patternProperties: { [slow]: { type: 'number' } },
    },
    handler: () => 'never run',
  })
  const { page } = await openConsole(t, { tools: [evil] }, 'tools/slow')
  await page.getByRole('region', { name: 'Arguments' }).getByRole('tab', { name: 'JSON' }).click()
  const editor = page.getByLabel('Arguments as JSON')
  await editor.fill(JSON.stringify({ text: `${'a'.repeat(60)}!`, [`${'a'.repeat(60)}?`]: 'x' }))
  await press(page, 'Call')

  await inCall(page, 'Tool error')
})
