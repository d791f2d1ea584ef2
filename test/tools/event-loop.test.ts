// Twelve calls of a tool at once, each with the most that it takes, leave the event loop to others between their steps.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { App } from '../helper.ts'
import { longestStretchMs } from '../longest-stretch.ts'
import { request } from '../request.ts'
import { filesFolder, serve } from './shipped.ts'

/** Far above what any of these takes, a quarter of a second at most; a loop without a pause takes some seconds. */
const MOST_MS = 1000

// Not read here, since that is work in this thread too.
async function answerTo(app: App, name: string, args: object): Promise<string> {
  const { message, headers } = request('tools/call', { name, arguments: args })
  const { body } = await app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message) })
  return body
}

interface Calls {
  readonly tool: string
  readonly args: object
  /** What shows that each did what it is here for. */
  readonly answered: RegExp
  readonly count?: number
}

async function assertPauses(t: Test, app: App, { tool, args, answered, count = 12 }: Calls) {
  t.match((await answerTo(app, tool, args)).slice(0, 10_000), answered)
  const all = () => Promise.all(Array.from({ length: count }, () => answerTo(app, tool, args)))
  const longestMs = await longestStretchMs(all)
  t.ok(longestMs < MOST_MS, `${longestMs} ms without a pause`)
}

for (const [what, content, args, answered] of [
  ['a line far past many empty ones', '\n'.repeat(675_000), { startLine: 700_000 }, /has 675000 lines/],
  ['a line past a million others', 'line\n'.repeat(1_000_000), { startLine: 1e9 }, /has 1000000 lines/],
  ['as many lines as fit', '\n'.repeat(300_000), {}, /\\n\\n/],
  ['a range of bytes', Buffer.alloc(300_000, 0xff), { offset: 0 }, /"blob":"\/\/\/\//],
] as const) {
  t.test(`read_file: ${what}`, async t => {
    const base = filesFolder(t)
    writeFileSync(join(base, 'root/file'), content)
    await assertPauses(t, await serve(t, 'read_file'), { tool: 'read_file', args: { path: 'file', ...args }, answered })
  })
}
