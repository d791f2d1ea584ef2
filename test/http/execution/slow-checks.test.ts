// Patterns of schema libraries that hold up the server: they are stopped, count against their
// caller, and are warned of when the tool is served.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import t from 'tap'
import * as v from 'valibot'
import { z } from 'zod'
import { CHECK_STOPPED } from '../../../packages/json-schema/src/validator.ts'
import { SlowChecks } from '../../../src/execution/slow-checks.ts'
import { defineTool, type ToolDefinition, Type } from '../../../src/index.ts'
import type { Parsed } from '../../../src/registry/standard-schema.ts'
import { type App, build, callTool } from '../../support/app.ts'

/** V8 runs /^(a+)+$/ over this for hours. */
const ENDLESS = `${'a'.repeat(40)}b`

const slow = z.object({ text: z.string().regex(/^(a+)+$/) })
const described = { description: 'Takes a text.', handler: () => 'ran' }
const probe = defineTool({ ...described, name: 'probe', inputSchema: slow })
const other = defineTool({ ...described, name: 'other', inputSchema: slow })
const plain = defineTool({ ...described, name: 'plain', inputSchema: z.object({ text: z.string() }) })
const give = defineTool({ ...described, name: 'give', outputSchema: slow, handler: () => ({ text: ENDLESS }) })

const warnings = ({ logs }: App) => logs.lines.filter(({ msg }) => msg === 'likely mistake in a tool')

t.test('a caller whose values are too slow waits with all tools that may be slow, and with no other', async t => {
  const app = await build(t, { tools: [probe, other, plain] })
  const texts: string[] = []
  for (let calls = 0; calls < 10; calls++) texts.push((await callTool(app, 'probe', { text: ENDLESS })).content[0].text)

  t.equal(texts.filter(text => text.includes('takes too long to check')).length, 3, 'these were checked')
  t.equal(texts.filter(text => /^probe takes no calls of yours for \d+ s: /.test(text)).length, 7)
  t.match(await callTool(app, 'other', { text: 'a' }), { isError: true, content: [{ text: /^other takes no calls/ }] })
  t.match(await callTool(app, 'plain', { text: ENDLESS }), { content: [{ text: 'ran' }] })
})

t.test('a result that is slow to check counts as well', async t => {
  const app = await build(t, { tools: [give] })
  for (let calls = 0; calls < 3; calls++) t.match(await callTool(app, 'give'), { isError: true })

  t.match(await callTool(app, 'give'), { isError: true, content: [{ text: /^give takes no calls of yours for/ }] })
})

t.test('what one caller sends counts against no other, and is forgotten after a minute', async t => {
  const clock = { nowMs: 0 }
  const checks = new SlowChecks(() => clock.nowMs)
  const [mallory, alice] = ['mallory', 'alice']
  const stopped: Parsed = { issues: [CHECK_STOPPED], isStopped: true }

  for (let times = 0; times < 3; times++) {
    checks.assertRoom('probe', mallory)
    await checks.count(() => stopped, mallory)(ENDLESS)
  }
  for (let times = 0; times < 9; times++) await checks.count(() => ({ issues: [CHECK_STOPPED] }), alice)('a')

  checks.assertRoom('probe', alice)
  t.throws(() => checks.assertRoom('probe', mallory), /^probe takes no calls of yours for 60 s: /)
  clock.nowMs = 61_000
  checks.assertRoom('probe', mallory)
})

t.test('a pattern in the source of a refinement is stopped, too', async t => {
  const inputSchemas = {
    zod: z.object({ text: z.string().refine(text => /^(a+)+$/.test(text)) }),
    zodTransform: z.object({ text: z.string().transform(text => text.replace(/^(a+)+$/, '')) }),
    zodPipe: z.object({
      text: z
        .string()
        .transform(text => text.trim())
        .pipe(z.string().regex(/^(a+)+$/)),
    }),
    valibot: toStandardJsonSchema(
      v.object({
        text: v.pipe(
          v.string(),
          v.check(text => /^(a+)+$/.test(text)),
        ),
      }),
    ),
    arktype: type({ text: type('string').narrow(text => /^(a+)+$/.test(text)) }),
  }
  for (const [name, inputSchema] of Object.entries(inputSchemas)) {
    const app = await build(t, { tools: [{ ...described, name, inputSchema } as unknown as ToolDefinition] })

    t.match(await callTool(app, name, { text: ENDLESS }), { content: [{ text: /takes too long to check/ }] }, name)
    t.match(warnings(app), [{ tool: name, reason: /^the pattern \^\(a\+\)\+\$ holds up the server/ }])
  }
})

t.test('a slow pattern is a warning that says the fix; one that only looks slow is none', async t => {
  const inputSchemas = {
    slow,
    flags: z.object({ text: z.string().regex(/^([a-z]+ ?)+$/i) }),
    valibot: toStandardJsonSchema(v.object({ text: v.pipe(v.string(), v.regex(/^(?:a|a)*$/)) })),
    arktype: type({ text: /^x-(a+)+$/ }),
    mail: z.object({ text: z.email() }),
    address: z.object({ text: z.ipv6() }),
    slug: z.object({ text: z.string().regex(/^(?:[a-z0-9]+-)*[a-z0-9]+$/) }),
    lookahead: z.object({ text: z.string().regex(/^(?=.*\d)(?=.*[a-z]).{8,}$/) }),
    typebox: Type.Object({ text: Type.String({ pattern: '^(a+)+$' }) }),
  }
  const tools = Object.entries(inputSchemas).map(
    ([name, inputSchema]) => ({ ...described, name, inputSchema }) as unknown as ToolDefinition,
  )
  const app = await build(t, { tools })

  t.strictSame(
    warnings(app).map(({ tool }) => tool),
    ['slow', 'flags', 'valibot', 'arktype'],
  )
  t.match(warnings(app)[0], { reason: /repeat nothing that repeats itself, as \^a\+\$ for \^\(a\+\)\+\$/ })
  t.match(await callTool(app, 'typebox', { text: ENDLESS }), { content: [{ text: /must match pattern/ }] })
})
