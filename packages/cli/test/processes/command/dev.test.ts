// `toolrack dev`: what a developer reads while tools are called, on a terminal and in a pipe.
import t from 'tap'
import { noTerminal, startOnTerminal, startPiped, toPlainText } from '../../../../../test/support/command-line.ts'
import { callOver } from '../../../../../test/support/servers/own-process.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

t.jobs = 2

const HUSH = 'hush-hush-hush'
const NOTES = `import { defineTool, Type } from 'toolrack'
import { parseOrder } from './_orders.ts'

const createNote = defineTool({
  name: 'create_note',
  description: 'Keeps a note.',
  inputSchema: Type.Object({ text: Type.String() }),
  handler({ text }, ctx) {
    ctx.log.info('kept a note', { length: text.length })
    console.log('by console.log')
    return \`\${text} is kept\`
  },
})
const getOrder = defineTool({ name: 'get_order', description: 'Gets an order.', handler: () => parseOrder('{') })

export default [createNote, getOrder]
`
const ORDERS = `export function parseOrder(text: string): string {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error('could not read the order', { cause })
  }
}
`
const FILES = { 'tools/notes.ts': NOTES, 'tools/_orders.ts': ORDERS }

const TIME = String.raw`\d\d:\d\d:\d\d`
const SERVER = /^ {2}Endpoint +(http:\S+)$/m

for (const [where, launch, skip] of [
  ['on a terminal', startOnTerminal, noTerminal],
  ['in a pipe', startPiped, false],
] as const) {
  t.test(
    `dev, ${where}: one line a call, with what the tool says between, and nothing that it was sent`,
    { skip },
    async t => {
      const { path: cwd } = tempFolder(t, FILES)
      const env = { AUDIT_ARGUMENTS: 'true' }
      const server = launch(t, ['dev', '--port', '0'], { cwd, env })
      await server.shows(/^ {2}Next .*\n/m)
      const [, url = ''] = SERVER.exec(toPlainText(server.stdout))!

      await callOver(url, 'create_note', { text: HUSH })
      await server.shows(/call create_note ok/)

      const text = toPlainText(server.stdout)
      const said = text.slice(text.indexOf('Next')).split('\n').slice(2).join('\n')
      const call = String.raw`${TIME} call create_note ok (?:<1|\d+) ms \d+ → \d+ B`
      t.match(
        said,
        new RegExp(`^${TIME} create_note kept a note \\{"length":14\\}\nby console\\.log\n${call}\n$`),
        'the three lines, each once',
      )
      t.notMatch(text, HUSH)
      t.equal(server.stderr, '')
    },
  )

  t.test(`dev, ${where}: a failure is a paragraph that begins in the file of the tool`, { skip }, async t => {
    const { path: cwd } = tempFolder(t, FILES)
    const server = launch(t, ['dev', '--port', '0'], { cwd })
    await server.shows(/^ {2}Next .*\n/m)
    const [, url = ''] = SERVER.exec(toPlainText(server.stdout))!

    await callOver(url, 'get_order')
    await server.shows(/call get_order tool error/)

    t.match(
      toPlainText(server.stdout),
      new RegExp(
        String.raw`${TIME} warning get_order threw: Error: could not read the order
 +at parseOrder \(tools/_orders\.ts:5:11\)
 +at \S*handler \(tools/notes\.ts:14:\d+\)
 +and \d+ frames of Node, packages and the server
 +Caused by: SyntaxError: .*
 +at parseOrder \(tools/_orders\.ts:3:17\)
 +at \S*handler \(tools/notes\.ts:14:\d+\)
 +and \d+ frames of Node, packages and the server
${TIME} call get_order tool error `,
      ),
    )
  })

  t.test(`dev, ${where}: a file that is saved, and one that breaks, are told in the same style`, { skip }, async t => {
    const folder = tempFolder(t, FILES)
    const server = launch(t, ['dev', '--port', '0'], { cwd: folder.path })
    await server.shows(/^ {2}Next .*\n/m)

    folder.write({ 'tools/notes.ts': NOTES.replace('Keeps a note.', 'Keeps a note for good.') })
    await server.shows(new RegExp(`^${TIME} tools folder reloaded: tools/notes\\.ts: create_note \\(changed\\)`, 'm'))
    folder.write({ 'tools/bad.ts': 'export default {' })
    await server.shows(new RegExp(`^${TIME} error tool file not loaded: tools/bad\\.ts:1\n {9}\\S`, 'm'))
  })
}

for (const [what, launch, env, hasColour] of [
  ['on a terminal', startOnTerminal, {}, true],
  ['on a terminal with NO_COLOR', startOnTerminal, { NO_COLOR: '1' }, false],
  ['in a pipe', startPiped, {}, false],
  ['in a pipe with FORCE_COLOR', startPiped, { FORCE_COLOR: '1' }, true],
] as const) {
  t.test(`dev: colours, ${what}: ${hasColour}`, { skip: launch === startOnTerminal && noTerminal }, async t => {
    const { path: cwd } = tempFolder(t, FILES)
    const server = launch(t, ['dev', '--port', '0'], { cwd, env: { NO_COLOR: undefined, ...env } })
    await server.shows(/^ {2}Next .*\n/m)

    t.equal(/\u001b\[/.test(server.stdout), hasColour)
  })
}

t.test('start, in a pipe: the log is JSON, and a tool that prints is between it', async t => {
  const { path: cwd } = tempFolder(t, FILES)
  const server = startPiped(t, ['start', '--port', '0'], { cwd })
  await server.shows(/"msg":"started"/)
  const [, url = ''] = /"endpoint":"([^"]+)"/.exec(server.stdout)!

  await callOver(url, 'create_note', { text: HUSH })
  await server.shows(/"msg":"audit"/)

  const lines = server.stdout.trimEnd().split('\n')
  t.strictSame(
    lines.filter(line => !line.startsWith('{"level"')),
    ['by console.log'],
  )
})
