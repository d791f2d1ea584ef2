// Cleaning joins no words and merges no keys, behind every door.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { build, callTool } from '../../support/app.ts'
import { everyDoor } from '../../support/every-door.ts'

// Processes of isolated tools start slowly on a busy machine.
t.setTimeout(120_000)

const SAID = 'Rebasing (1/2)\\rRebasing (2/2)\\rline 1\\u0085line 2\\fpage 2\\vcell end\\r\\nof it'
const CLEAN = 'Rebasing (1/2)\nRebasing (2/2)\nline 1\nline 2\npage 2\ncell end\r\nof it'
const MERGED = 'rows.0 has two keys that become "id"'

t.test('cleaning: what ends a line becomes a line feed, and keys that become equal are an error', async t => {
  const { askAll } = await everyDoor(t, {
    said: `() => '${SAID}'`,
    keys: `() => ({ rows: [{ id: 1, 'id\\u200b': 2 }] })`,
    // In the other order, and as prompts and resources return them.
    meta: `() => ({ contents: [{ uri: 'a:b', text: 'x', _meta: { 'a\\u200b': 1, a: 2 } }], messages: [], _meta: { 'a\\u200b': 1, a: 2 } })`,
  })

  for (const [door, text] of Object.entries(await askAll('said'))) t.equal(text, CLEAN, door)
  const { tool, isolated, 'plain HTTP': plain, testing } = await askAll('keys')
  for (const text of [tool, isolated, plain, testing]) t.match(text, `returned an invalid result: ${MERGED}`)
  const { prompt, resource } = await askAll('meta')
  t.match([prompt, resource], [/_meta/, /_meta/])
})

t.test('cleaning: without it, keys stay as they are', async t => {
  const raw = defineTool({ name: 'raw', sanitize: false, handler: () => ({ id: 1, 'id\u200b': 2, s: 'a\rb' }) })
  const halves = defineTool({ name: 'halves', sanitize: false, handler: () => ({ '\ud800': 1, '\ud801': 2 }) })
  const app = await build(t, { tools: [raw, halves] })

  t.equal((await callTool(app, 'raw')).content[0].text, JSON.stringify({ id: 1, 'id\u200b': 2, s: 'a\rb' }))
  t.match((await callTool(app, 'halves')).content[0].text, 'has two keys that become "\ufffd"')
})
