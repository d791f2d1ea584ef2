// The Inspector starts the server and speaks to it over stdin and stdout, by the command that `toolrack connect` prints.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { createProgram, describeClientProgram } from '../../../packages/console/src/clients/index.ts'
import { serverProgram } from '../../support/servers/program.ts'
import { tempFolder } from '../../support/tools-folder.ts'

t.setTimeout(300_000)

const HERE = import.meta.dirname
const TOOLS = `import { definePrompt, defineResource, defineTool, Type } from 'toolrack'
console.log('the file prints')

const add = defineTool({
  name: 'add',
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
  outputSchema: Type.Object({ sum: Type.Number() }),
  handler({ a, b }, { log }) {
    log.warning('half of it')
    console.log('the handler prints')
    return { sum: a + b }
  },
})
const note = defineResource({ name: 'note', uri: 'note://one', handler: () => 'a note' })
const topic = definePrompt({
  name: 'topic',
  arguments: [{ name: 'about' }],
  handler: ({ about }) => 'About ' + about,
})
export default [add, note, topic]
`
const LIST = '--method tools/list'
const MESSAGES = [{ role: 'user', content: { type: 'text', text: 'About ferns' } }]

t.test('inspector: each method over stdin and stdout', async t => {
  const { path } = tempFolder(t, { 'my tools/all.mjs': TOOLS })
  const home = tempFolder(t).path
  const program = createProgram({ command: process.execPath, args: [serverProgram()] }, [join(path, 'my tools')])
  const { steps } = describeClientProgram('inspector', 'shop', program)!
  const command = steps.find(({ title }) => title === 'Or list the tools in the terminal')!.snippet!.text
  const env = { PATH: `${join(HERE, 'node_modules/.bin')}:${process.env['PATH']}`, HOME: home }

  for (const [method, expected] of [
    ['tools/list', { tools: [{ name: 'add', outputSchema: { type: 'object' } }] }],
    ['tools/call --tool-name add --tool-arg a=1 b=2', { structuredContent: { sum: 3 } }],
    ['resources/list', { resources: [{ uri: 'note://one' }] }],
    ['resources/read --uri note://one', { contents: [{ text: 'a note' }] }],
    ['resources/templates/list', { resourceTemplates: [] }],
    ['prompts/list', { prompts: [{ name: 'topic' }] }],
    ['prompts/get --prompt-name topic --prompt-args about=ferns', { messages: MESSAGES }],
  ] as const) {
    const line = command.replace(LIST, `--method ${method}`)
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', line], { env, cwd: HERE, timeout: 60_000 })
    t.match(JSON.parse(stdout), expected, method)
    t.match(stderr, 'the file prints', 'what tools print stays away from the messages')
  }
})
