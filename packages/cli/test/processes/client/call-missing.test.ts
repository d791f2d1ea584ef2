// `toolrack call` on a terminal asks for required arguments that are missing; in a pipe it refuses.
import t from 'tap'
import { defineTool, type ToolDefinition } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import { noTerminal, runPiped, startOnTerminal } from '../../../../../test/support/command-line.ts'

t.setTimeout(300_000)
const seen: unknown[] = []
const book = defineTool({
  name: 'book',
  inputSchema: {
    type: 'object',
    $defs: { room: { enum: ['single', 'double'], description: 'Which room' } },
    properties: {
      guest: { type: 'string', minLength: 2, description: 'Who comes' },
      nights: { type: 'integer', minimum: 1 },
      room: { $ref: '#/$defs/room' },
      tags: { type: 'array', items: { type: 'integer' } },
      note: { type: 'string' },
    },
    required: ['guest', 'nights', 'room', 'tags'],
  },
  handler: args => {
    seen.push(args)
    return 'booked'
  },
})
const { url } = await listening(t, { tools: [book as ToolDefinition], rateLimit: { max: 100_000 } })

t.test('one question for each, typed by the schema', { skip: noTerminal }, async t => {
  const asked = startOnTerminal(t, ['call', url, 'book', 'nights=2'], { columns: 80 })
  await asked.shows('guest (Who comes)')
  asked.type('Ada\r')
  await asked.shows('room (Which room)')
  asked.type('\u001b[B\r')
  await asked.shows('tags integer[]')
  asked.type('1,x\r')
  await asked.shows('expected integer')
  asked.type('\u007f2\r')
  const { code, stdout } = await asked.ended

  t.equal(code, 0, stdout)
  t.match(stdout, /booked\r\n$/)
  t.notMatch(stdout, 'note')
  t.strictSame(seen.pop(), { nights: 2, guest: 'Ada', room: 'double', tags: [1, 2] })
})

t.test('Ctrl-D sends nothing', { skip: noTerminal }, async t => {
  const asked = startOnTerminal(t, ['call', url, 'book', 'nights=2', '--json'])
  await asked.shows('guest (Who comes)')
  asked.type('\u0004')
  const { code, stdout } = await asked.ended

  t.equal(code, 3)
  t.match(stdout, 'the input ended (Ctrl-D)')
  t.match(stdout, '"message": "Arguments of book"')
  t.strictSame(seen, [])
})

t.test('nobody is asked in a pipe, with --yes, or while an argument is wrong', async t => {
  t.match(await runPiped(t, ['call', url, 'book', 'nights=2']), { code: 2, stdout: '', stderr: /^guest is required; / })
  if (noTerminal) return
  for (const words of [['nights=2', '--yes'], ['nights=0'], ['nigths=2']]) {
    const { code, stdout } = await startOnTerminal(t, ['call', url, 'book', ...words]).ended
    t.equal(code, 2, stdout)
    t.match(stdout, 'expected book(')
  }
  t.strictSame(seen, [])
})
