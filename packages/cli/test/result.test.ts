// What `toolrack call` prints of a result: its texts, then its structure, once.
import type { CallToolResult } from '@modelcontextprotocol/client'
import t from 'tap'
import { printResult } from '../src/client/result.ts'
import { createIo } from '../src/io.ts'

async function print(result: CallToolResult, isTTY: boolean): Promise<string> {
  let written = ''
  const output = { isTTY, columns: 80, write: (text: string | Buffer) => (written += text) !== '' }
  const plain = { paint: (_style: unknown, text: string) => text }
  const io = { ...createIo({ stdin: {}, stdout: output, stderr: output } as never), ...plain }
  await printResult({ io, client: {} } as never, result, {})
  return written
}

const text = (text: string) => ({ type: 'text' as const, text })
const structuredContent = { rows: 2 }
const SHOWN = '{\n  "rows": 2\n}\n'

t.test('a structure is printed once, whether its JSON is in the content or not', async t => {
  for (const content of [[], [text('{"rows":2}')], [text('{ "rows": 2 }')]]) {
    t.equal(await print({ content, structuredContent }, false), '{"rows":2}\n')
    t.equal(await print({ content, structuredContent }, true), SHOWN)
  }
  t.equal(await print({ content: [text('two')], structuredContent }, true), `two\n${SHOWN}`)
  const several = [text('two'), text('rows'), text('{"rows":2}')]
  t.equal(await print({ content: several, structuredContent }, false), 'two\nrows\n{"rows":2}\n')
  t.equal(await print({ content: several, structuredContent }, true), `two\nrows\n${SHOWN}`)
})

t.test('a pipe gets the only part as it is, and nothing behind it', async t => {
  for (const content of [[text('two')], [text('two'), text('{"rows":2}')]]) {
    t.equal(await print({ content, structuredContent }, false), 'two')
  }
  t.equal(await print({ content: [text('two\n')] }, false), 'two\n')
  const image = { type: 'image' as const, data: Buffer.from('bytes').toString('base64'), mimeType: 'image/png' }
  t.equal(await print({ content: [image] }, false), 'bytes')
  const resource = { uri: 'file:///a.txt', text: 'of a file' }
  t.equal(await print({ content: [{ type: 'resource', resource }] }, false), 'of a file')
})

t.test('a text that is the JSON of something else is printed, too', async t => {
  t.equal(await print({ content: [text('{"rows":3}')], structuredContent }, true), `{"rows":3}\n${SHOWN}`)
  t.equal(await print({ content: [text('{"rows":3}')] }, false), '{"rows":3}')
})

t.test('on a terminal rows are a table, also those of a text', async t => {
  const rows = [{ id: 1 }, { id: 12 }]
  t.equal(await print({ content: [], structuredContent: { rows } }, true), 'id\n 1\n12\n')
  t.equal(await print({ content: [text(JSON.stringify(rows))] }, true), 'id\n 1\n12\n')
})
