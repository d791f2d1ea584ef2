// Several calls of a tool at once, each with the most that it takes, leave the event loop to others between their steps.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type App, build } from '../../../support/app.ts'
import { longestStretchMs } from '../../../support/longest-stretch.ts'
import { request } from '../../../support/request.ts'
import { CALL, github } from '../../../support/tools/github-service.ts'
import { openMeteo } from '../../../support/tools/open-meteo.ts'
import { filesFolder, json, only, serve, setting } from '../../../support/tools/shipped.ts'
import { site } from '../../../support/tools/web-servers.ts'

/** Far above what any of these takes, a tenth of a second at most; loops without a pause took 0.6 to 5 s. */
const MOST_MS = 400

// Not read here, since that is work in this thread too.
async function answerTo(app: App, name: string, args: object): Promise<string> {
  const { message, headers } = request('tools/call', { name, arguments: args })
  const { body } = await app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message) })
  return body
}

/** The tool without its rate limit, which is lower than the calls here. */
async function unlimited(t: Test, name: string): Promise<App> {
  const { tools = [] } = await only(name)
  return build(t, { tools: tools.map(each => ({ ...each, rateLimit: undefined })) })
}

interface Calls {
  readonly tool: string
  /** By the number of the call, where each has to be another one. */
  readonly args: object | ((call: number) => object)
  /** What shows that each did what it is here for. */
  readonly answered: RegExp
  readonly count?: number
}

async function assertPauses(t: Test, app: App, { tool, args, answered, count = 12 }: Calls) {
  let calls = 0
  const call = () => answerTo(app, tool, typeof args === 'function' ? args(++calls) : args)
  t.match((await call()).slice(0, 10_000), answered)
  const all = () => Promise.all(Array.from({ length: count }, call))
  const longestMs = await longestStretchMs(all)
  t.ok(longestMs < MOST_MS, `${longestMs} ms without a pause`)
}

for (const [what, content, args, answered, count] of [
  ['a line far past many empty ones', '\n'.repeat(675_000), { startLine: 700_000 }, /has 675000 lines/, 12],
  ['a line past a million others', 'line\n'.repeat(1_000_000), { startLine: 1e9 }, /has 1000000 lines/, 12],
  ['as many lines as fit', '\n'.repeat(300_000), {}, /\\n\\n/, 4],
  ['a range of bytes', Buffer.alloc(300_000, 0xff), { offset: 0 }, /"blob":"\/\/\/\//, 12],
] as const) {
  t.test(`read_file: ${what}`, async t => {
    const base = filesFolder(t)
    writeFileSync(join(base, 'root/file'), content)
    const app = await serve(t, 'read_file')
    await assertPauses(t, app, { tool: 'read_file', args: { path: 'file', ...args }, answered, count })
  })
}

for (const [what, args] of [
  ['a text', { content: 'ä'.repeat(450_000) }],
  ['base64', { content: 'AAAA'.repeat(225_000), encoding: 'base64' }],
] as const) {
  t.test(`write_file: ${what}`, async t => {
    filesFolder(t)
    const app = await unlimited(t, 'write_file')
    const all = { path: 'file', overwrite: true, ...args }
    await assertPauses(t, app, { tool: 'write_file', args: all, answered: /"size":(900|675)000/ })
  })
}

t.test('list_files: long names, and a pattern that each of them nearly fits', async t => {
  const many = join(filesFolder(t), 'root/many')
  mkdirSync(many)
  for (let index = 0; index < 10_000; index++) writeFileSync(join(many, 'a'.repeat(245) + index), '')
  const args = { path: 'many', pattern: `*${'a'.repeat(120)}b` }

  const app = await serve(t, 'list_files')

  await assertPauses(t, app, { tool: 'list_files', args, answered: /"entries":\[\]/, count: 1 })
})

for (const [what, csv, answered] of [
  [
    'as many columns as there may be, all of one long name',
    `${'n'.repeat(890)},`.repeat(1000).slice(0, -1),
    /rows\\":0/,
  ],
  ['short rows', `a\n${'1\n'.repeat(300_000)}`, /"rows":300000/],
  ['a row of nothing but separators', ','.repeat(899_000), /more than 1000 columns/],
  ['a quote that is never closed', `a\n"${'x'.repeat(890_000)}`, /never closed/],
] as const) {
  t.test(`analyze_csv: ${what}`, async t => {
    const app = await serve(t, 'analyze_csv')
    await assertPauses(t, app, { tool: 'analyze_csv', args: { csv }, answered, count: 4 })
  })
}

t.test('execute_command: more output than is kept, of lines and of what is taken out', async t => {
  setting(t, 'EXEC_ALLOW', 'sh -c')
  const script = 'yes "" | head -c 5000000; yes "$(printf \'\\033[31m\')" | head -c 300000 >&2'
  const args = { command: 'sh -c', args: [script] }
  const app = await serve(t, 'execute_command')
  await assertPauses(t, app, { tool: 'execute_command', args, answered: /more bytes were dropped/, count: 4 })
})

t.test('web_search: an answer full of results', async t => {
  const { url } = await site(t, { '/search': json(`{"results":[${'{"url":"http://a"},'.repeat(54_000)}{}]}`) })
  setting(t, 'SEARCH_URL', url)
  const app = await unlimited(t, 'web_search')
  await assertPauses(t, app, { tool: 'web_search', args: { query: 'a', count: 50 }, answered: /950 more/ })
})

t.test('get_weather: an answer full of members', async t => {
  const members = Array.from({ length: 40_000 }, (_, index) => `"k${index}":1`)
  await openMeteo(t, { geocoding: json(`{"results":[{${members.join()}}]}`) })
  const app = await unlimited(t, 'get_weather')
  await assertPauses(t, app, { tool: 'get_weather', args: { location: 'Rome' }, answered: /is missing/ })
})

t.test('github_create_issue: a hundred issues as long as they may be', async t => {
  const service = await github(t)
  const body = 'ä'.repeat(65_536)
  const issues = Array.from({ length: 100 }, (_, index) => ({ number: index, html_url: 'u', title: 't', body }))
  service.list = json(JSON.stringify(issues))
  const app = await unlimited(t, 'github_create_issue')
  // One that is known is not looked for again.
  const args = (call: number) => ({ ...CALL, title: `Bug ${call}` })
  await assertPauses(t, app, { tool: 'github_create_issue', args, answered: /"isNew":true/, count: 4 })
})
