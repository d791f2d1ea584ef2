// Patterns and archives: no shipped tool takes either from a caller, and no pattern of a schema
// holds a call up.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { build, call, callTool } from '../../support/app.ts'
import { SHIPPED, setting } from '../../support/tools/shipped.ts'

for (const pattern of ['(a+)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*)*x', '^(\\w+\\s?)*$']) {
  t.test(`G9: a tool whose schema has the pattern ${pattern} refuses a long text in linear time`, async t => {
    const inputSchema = { type: 'object' as const, properties: { text: { type: 'string', pattern } } }
    const app = await build(t)
    app.toolrack.add({ name: 'slow', inputSchema, handler: () => 'ran' })
    const before = process.threadCpuUsage()

    const result = await callTool(app, 'slow', { text: `${'a'.repeat(500_000)}!` })

    t.match(result, { isError: true })
    const { user } = process.threadCpuUsage(before)
    t.ok(user < 1_000_000, `${user} µs`)
  })
}

t.test('G9: no pattern of a shipped tool holds a call up for half a second, whatever the text', async t => {
  for (const name of ['EXEC_ALLOW', 'GITHUB_TOKEN', 'GITHUB_REPOSITORY']) setting(t, name, 'ls')
  setting(t, 'GITHUB_REPOSITORY', 'octo/app')
  const app = await build(t, SHIPPED)
  const { tools } = (await call(app, 'tools/list')).result
  let tried = 0

  for (const { name, inputSchema } of tools) {
    for (const [property, schema] of Object.entries<{ pattern?: string; items?: { pattern?: string } }>(
      inputSchema.properties,
    )) {
      if (schema.pattern === undefined && schema.items?.pattern === undefined) continue
      for (const part of ['a', ' ', '/', '.', '-', 'ä']) {
        const text = `${part.repeat(200_000)}\0`
        const tookMs = async () => {
          const startedAt = performance.now()
          const result = await callTool(app, name, { [property]: schema.items ? [text] : text })
          t.ok(result.isError, `${name}.${property}`)
          return performance.now() - startedAt
        }
        tried++
        let leastMs = await tookMs()
        // By the pattern each time, or by the machine now and then.
        for (let tries = 1; tries < 5 && leastMs >= 500; tries++) leastMs = Math.min(leastMs, await tookMs())
        t.ok(leastMs < 500, `${name}.${property} ${Math.round(leastMs)} ms`)
      }
    }
  }
  t.ok(tried > 0)
})

t.test(
  'G9: no shipped tool makes a regular expression of what it is given, nor has a library for archives',
  async t => {
    const sources = readdirSync('tools', { recursive: true, encoding: 'utf8' }).filter(
      name => name.endsWith('.ts') && !name.includes('node_modules'),
    )

    for (const name of sources) {
      const source = readFileSync(join('tools', name), 'utf8')
      t.notOk(/\bRegExp\(/.test(source), name)
      t.notOk(/'(?:tar|tar-\w+|adm-zip|jszip|yauzl|unzipper|fflate|decompress\w*)'/.test(source), name)
    }
    t.ok(sources.length > 10)
  },
)
