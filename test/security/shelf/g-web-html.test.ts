// Pages that keep their reader busy: they cost their own call, and no other.
import t from 'tap'
import { callTool } from '../../support/app.ts'
import { rack } from '../../support/security/hostile.ts'
import { SHIPPED, setting } from '../../support/tools/shipped.ts'
import { html, site } from '../../support/tools/web-servers.ts'

const DEADLINE_MS = 20_000
const sentence =
  'hello, world, this is a text, and more of it, which is long enough to count, with many words, and so on and on. '

const PAGES: Record<string, string> = {
  '/nested': '<div>'.repeat(1_000_000),
  '/nested-less': `${'<div>'.repeat(39_000)}deep`,
  '/attributes': `<p ${'a=1 '.repeat(1_000_000)}>x`,
  '/attribute': `<p title="${'x'.repeat(5_000_000)}">x`,
  '/paragraphs': `<p>${sentence.repeat(2)}</p>`.repeat(20_000),
  '/breaks': `<div>${'text<br><br>'.repeat(15_000)}<p>${sentence.repeat(20)}</p></div>`,
  '/open-tags': '<'.repeat(5_000_000),
  '/scripts': '<script'.repeat(700_000),
  '/tables': '<table><tr><td>'.repeat(5_000),
  '/code': `<pre>${'<code>'.repeat(3_000)}${'`'.repeat(1_000_000)}`,
  '/inline-code': `${'<code>'.repeat(3_000)}${'x`'.repeat(500_000)}`,
  '/comments': `${'<!--'.repeat(500_000)}${'<!-- x -->'.repeat(100_000)}`,
  '/entities': '&amp;'.repeat(1_000_000),
}

t.test('G5: hostile HTML ends within the deadline of its call, while others are answered', async t => {
  const { url, host } = await site(
    t,
    Object.fromEntries(Object.entries(PAGES).map(([path, page]) => [path, html(page)])),
  )
  setting(t, 'FETCH_ALLOW', host)
  const app = await rack(t, [], SHIPPED)
  await callTool(app, 'probe')

  const read = async (path: string) => {
    let hasEnded = false
    const startedMs = performance.now()
    const reading = callTool(app, 'fetch_page', { url: url + path, maxLength: 100 }).finally(() => (hasEnded = true))
    const probesMs: number[] = []
    while (!hasEnded) {
      const probedMs = performance.now()
      await callTool(app, 'probe')
      probesMs.push(performance.now() - probedMs)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    const result = await reading
    const tookMs = performance.now() - startedMs
    probesMs.sort((a, b) => a - b)
    return { result, tookMs, probesMs }
  }
  const areFree = ({ probesMs }: { probesMs: number[] }) => probesMs[Math.floor(probesMs.length / 2)]! < 100

  for (const path of Object.keys(PAGES)) {
    let reading = await read(path)
    // Held up by the page they are so each time, by the machine now and then.
    for (let tries = 1; tries < 4 && !areFree(reading); tries++) reading = await read(path)
    const { result, tookMs, probesMs } = reading

    t.ok(
      tookMs < DEADLINE_MS + 10_000,
      `${path} took ${Math.round(tookMs)} ms: ${JSON.stringify(result).slice(0, 120)}`,
    )
    t.ok(areFree(reading), `${path}: probes took ${Math.round(probesMs.at(-1)!)} ms at most`)
  }
})
