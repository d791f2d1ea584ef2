// A block that a revision adds is text for clients of the one before, wherever results have blocks.
import t from 'tap'
import { createBlockStep } from '../../../../src/protocol/revisions/blocks-as-text.ts'

const BLOCK = { type: 'audio', mimeType: 'audio/wav', data: 'AA==' }
const TEXT = { type: 'text', text: 'Audio (audio/wav)' }
const step = createBlockStep({ audio: ({ mimeType }) => `Audio (${mimeType})` })

for (const [method, wrap] of [
  ['tools/call', (block: object) => ({ content: [block] })],
  ['tasks/result', (block: object) => ({ content: [block] })],
  ['tasks/get', (block: object) => ({ taskId: 'a', status: 'completed', result: { content: [block] } })],
  ['prompts/get', (block: object) => ({ messages: [{ role: 'user', content: block }] })],
] as const)
  t.test(`${method}: a block that is new is text for older clients`, async t => {
    t.strictSame(step.downgrade!(method, wrap(BLOCK)), wrap(TEXT))
    t.strictSame(step.downgrade!(method, wrap(TEXT)), wrap(TEXT))
  })

t.test('a revision without new blocks has no step', async t => {
  t.strictSame(createBlockStep(), {})
})
