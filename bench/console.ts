// npm run bench:console: how long a user of the console waits for the first view, a search of 300 tools and a result of
// 100,000 rows. Chromium runs at full and at a quarter of the processor's speed; the server is this process.
//   npm run bench:console -- --rounds=5
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { createServer, defineTool, Type } from 'toolrack'
import { ARGS, findChromium } from '../test/support/browser/chromium.ts'
import { median } from './figures.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })
const ROUNDS = Number(values.rounds)
const SLOWER = [1, 4]
const ROWS = 100_000

const tools = [
  defineTool({
    name: 'add_note',
    description: 'Adds a note to the shelf of a person.',
    inputSchema: Type.Object({ title: Type.String({ maxLength: 120 }), body: Type.Optional(Type.String()) }),
    handler: ({ title }) => title,
  }),
  defineTool({
    name: 'list_rows',
    description: 'Lists many rows.',
    handler: () => ({ rows: Array.from({ length: ROWS }, (_, id) => ({ id, name: `row ${id}` })) }),
  }),
  ...Array.from({ length: 298 }, (_, index) =>
    defineTool({ name: `tool_${index}`, description: `Does what number ${index} does.`, handler: () => '' }),
  ),
]

/** What a view waits for, by the selector that finds it. */
const PARTS = { frame: '.brand', list: '.items > li', form: '.field textarea' }

/** Runs in the page: notes when each part is first there, in ms since the page began. */
const NOTE = `
  const seen = (window.seen = {})
  new MutationObserver(() => {
    for (const [name, selector] of Object.entries(${JSON.stringify(PARTS)}))
      if (document.querySelector(selector) !== null) seen[name] ??= performance.now()
  }).observe(document, { subtree: true, childList: true })`

interface View {
  readonly paint: number
  readonly frame: number
  readonly list: number
  readonly form: number
}

/** Opens a tool with nothing in a cache. @param isThere waits until it can be used */
async function withTool<T>(slower: number, tool: string, isThere: (page: Page) => Promise<void>, evaluate: string) {
  const context = await browser.newContext()
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
  await page.addInitScript(NOTE)
  await page.goto(`${url}/console/#/tools/${tool}`)
  await isThere(page)
  const figure = await page.evaluate<T>(evaluate)
  await context.close()
  return figure
}

const hasForm = (page: Page) => page.getByLabel('title').waitFor()
const mayCall = (page: Page) => page.getByRole('button', { name: 'Call', exact: true, disabled: false }).waitFor()

const VIEW = `({ ...window.seen, paint: performance.getEntriesByName('first-contentful-paint')[0].startTime })`

/** From the key to the frame that shows it, ms. */
const SEARCH = `new Promise(resolve => {
  const search = document.querySelector('input[type=search]')
  const began = performance.now()
  search.value = '29'
  search.dispatchEvent(new Event('input', { bubbles: true }))
  requestAnimationFrame(() => setTimeout(() => {
    if (document.querySelectorAll('.items > li').length > 20) throw new Error('Nothing was searched')
    resolve(performance.now() - began)
  }))
})`

/** From the click on Call to the rows, ms. */
const CALL = `new Promise(resolve => {
  const began = performance.now()
  new MutationObserver((_, observer) => {
    if (document.querySelectorAll('tbody tr').length < 50) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)))
  }).observe(document, { subtree: true, childList: true })
  ;[...document.querySelectorAll('button')].find(({ textContent }) => /^Call/.test(textContent)).click()
})`

const app = await createServer({
  tools,
  console: true,
  logLevel: 'silent',
  rateLimit: { max: 1_000_000 },
  limits: { maxResultBytes: 64 << 20 },
})
await app.listen({ port: 0, host: '127.0.0.1' })
const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const browser = await chromium.launch({ executablePath: findChromium(), args: ARGS })

const repeat = async <T>(measure: () => Promise<T>): Promise<T[]> => {
  const all: T[] = []
  for (let round = 0; round < ROUNDS; round++) all.push(await measure())
  return all
}

console.log('| processor | first paint | frame | list | form | search of 300 tools | call with 100,000 rows |')
console.log('|---|---:|---:|---:|---:|---:|---:|')
for (const slower of SLOWER) {
  const views = await repeat(() => withTool<View>(slower, 'add_note', hasForm, VIEW))
  const figures = [
    ...(['paint', 'frame', 'list', 'form'] as const).map(key => median(views.map(view => view[key]))),
    median(await repeat(() => withTool<number>(slower, 'add_note', hasForm, SEARCH))),
    median(await repeat(() => withTool<number>(slower, 'list_rows', mayCall, CALL))),
  ]
  console.log(`| ${[`1 / ${slower}`, ...figures.map(ms => `${Math.round(ms)} ms`)].join(' | ')} |`)
}
await browser.close()
await app.close()
