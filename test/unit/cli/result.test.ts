// What `toolrack call` prints of a result: its texts, then its structure, once.
import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import t from 'tap'
import { printResult } from '../../../src/cli/client/result.ts'
import { createIo } from '../../../src/cli/io.ts'

async function print(result: CallToolResult, isTTY: boolean): Promise<string> {
  let written = ''
  const output = { isTTY, columns: 80, write: (text: string) => (written += text) !== '' }
  await printResult({} as Client, result, {}, createIo({ stdin: {}, stdout: output, stderr: output } as never))
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
  for (const content of [[text('two')], [text('two'), text('{"rows":2}')]]) {
    t.equal(await print({ content, structuredContent }, false), 'two\n{"rows":2}\n')
    t.equal(await print({ content, structuredContent }, true), `two\n${SHOWN}`)
  }
})

t.test('a text that is the JSON of something else is printed, too', async t => {
  t.equal(await print({ content: [text('{"rows":3}')], structuredContent }, false), '{"rows":3}\n{"rows":2}\n')
  t.equal(await print({ content: [text('{"rows":3}')] }, false), '{"rows":3}\n')
})
