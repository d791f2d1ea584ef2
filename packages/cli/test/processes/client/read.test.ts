// `toolrack read` and `toolrack prompt`: real processes against a real server, piped and on a terminal.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { definePrompt, defineResource } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import {
  noTerminal,
  runOnTerminal,
  runPiped,
  startOnTerminal,
  toPlainText,
} from '../../../../../test/support/command-line.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

t.setTimeout(600_000)
const BYTES = Buffer.from('89504e470d0a1a0a', 'hex')
const { url } = await listening(t, {
  resources: [
    defineResource({ uri: 'notes://todo', name: 'todo', handler: () => 'Buy milk' }),
    defineResource({
      uri: 'notes://logo.png',
      name: 'logo',
      handler: uri => ({ contents: [{ uri, mimeType: 'image/png', blob: BYTES.toString('base64') }] }),
    }),
    defineResource({ uriTemplate: 'orders://{id}', name: 'order', handler: (_uri, { id }) => `order ${id}` }),
    defineResource({
      uri: 'notes://asks',
      name: 'asks',
      async handler(_uri, _variables, ctx) {
        const requestedSchema = {
          type: 'object',
          properties: { sure: { type: 'boolean' } },
          required: ['sure'],
        } as const
        return (await ctx.elicit('sure', { message: 'Sure?', requestedSchema })).action
      },
    }),
  ],
  prompts: [
    definePrompt({
      name: 'review',
      arguments: [
        { name: 'code', description: 'What to review', required: true },
        { name: 'tone', required: false },
      ],
      handler: ({ code, tone = 'kind' }) => [
        { role: 'user', content: { type: 'text', text: `Review ${code}, ${tone}` } },
        { role: 'assistant', content: { type: 'text', text: 'I will.' } },
      ],
    }),
    definePrompt({
      name: 'compare',
      handler: () => [
        { role: 'user', content: { type: 'image', data: BYTES.toString('base64'), mimeType: 'image/png' } },
        { role: 'user', content: { type: 'text', text: 'What is this?' } },
      ],
    }),
    definePrompt({ name: 'greet', handler: () => 'Say hello.' }),
  ],
  rateLimit: { max: 100_000 },
} as never)

const ERAS = [[], ['--revision', '2025-11-25']] as const
const run = (t: Test, ...words: readonly string[]) => runPiped(t, words)

for (const era of ERAS) {
  const name = era[1] ?? 'auto'

  t.test(`${name}: read prints the text of a resource, also of a template`, async t => {
    t.strictSame(await run(t, 'read', url, 'notes://todo', ...era), {
      code: 0,
      stdout: 'Buy milk',
      stderr: '',
    })
    t.match(await run(t, 'read', url, 'orders://7', ...era), { code: 0, stdout: 'order 7' })
    const { stdout } = await run(t, 'read', url, 'orders://7', '--json', ...era)
    t.match(JSON.parse(stdout), { contents: [{ uri: 'orders://7', text: 'order 7' }] })
    if (noTerminal) return
    const shown = await runOnTerminal(t, ['read', url, 'notes://todo', ...era], { columns: 80 })
    t.equal(shown.stdout, 'Buy milk\r\n')
  })

  t.test(`${name}: read names the resource that was meant`, async t => {
    const fault = 'the server has no resource "notes://tood"; did you mean notes://todo?'
    t.match(await run(t, 'read', url, 'notes://tood', ...era), { code: 2, stdout: '', stderr: `${fault}\n` })
    const refused = await run(t, 'read', url, 'x://y', '--json', ...era)
    t.match(refused, { code: 2, stderr: /toolrack list --resources shows all\n$/ })
    t.type(JSON.parse(refused.stdout).error.code, 'number')
  })

  t.test(`${name}: prompt prints the messages by role`, async t => {
    t.strictSame(await run(t, 'prompt', url, 'review', 'code=main.ts', ...era), {
      code: 0,
      stdout: 'user:\nReview main.ts, kind\n\nassistant:\nI will.\n',
      stderr: '',
    })
    t.match(await run(t, 'prompt', url, 'greet', ...era), { code: 0, stdout: 'Say hello.' })
    const { stdout } = await run(t, 'prompt', url, 'greet', '--json', ...era)
    t.match(JSON.parse(stdout), { messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }] })
  })

  t.test(`${name}: prompt checks its name and arguments`, async t => {
    t.match(await run(t, 'prompt', url, 'reveiw', ...era), {
      code: 2,
      stderr: /no prompt "reveiw"; did you mean review\?/,
    })
    t.match(await run(t, 'prompt', url, 'review', ...era), {
      code: 2,
      stderr: 'code is required; expected review(code: string, tone?: string)\n',
    })
    t.match(await run(t, 'prompt', url, 'review', 'code=a', 'ton=b', ...era), {
      code: 2,
      stderr: /did you mean tone\?/,
    })
  })
}

t.test('prompt says where a picture is', async t => {
  t.strictSame(await run(t, 'prompt', url, 'compare'), {
    code: 0,
    stdout: 'user:\n\nuser:\nWhat is this?\n',
    stderr: '[image, image/png, 8 bytes; --json has it]\n',
  })
})

t.test('read saves bytes, and writes them to a pipe', async t => {
  const { path: folder } = tempFolder(t)
  t.match(await run(t, 'read', url, 'notes://logo.png', '-o', folder), { code: 0, stdout: '', stderr: /^saved / })
  t.strictSame(readFileSync(join(folder, 'logo.png')), BYTES)
  const options = { encoding: 'buffer' as const }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [serverProgram(), 'read', url, 'notes://logo.png'],
    options,
  )
  t.strictSame(stdout, BYTES)
})

t.test('a resource may ask', async t => {
  t.match(await run(t, 'read', url, 'notes://asks', '--yes'), { code: 0, stdout: 'accept' })
  t.match(await run(t, 'read', url, 'notes://asks'), { code: 3, stderr: /--answer sure=<boolean>/ })
})

t.test('without a name there is nothing to do', async t => {
  t.match(await run(t, 'read'), {
    code: 2,
    stderr: /^the URI of the resource is missing; toolrack list --resources shows all\n$/,
  })
  t.match(await run(t, 'prompt', url), { code: 2, stderr: /^the name of the prompt is missing; / })
})

t.test('prompt asks for what is missing on a terminal', { skip: noTerminal }, async t => {
  const asked = startOnTerminal(t, ['prompt', url, 'review'], { columns: 80 })
  await asked.shows('code (What to review)')
  asked.type('main.ts\r')
  const { code, stdout } = await asked.ended

  t.equal(code, 0)
  t.match(toPlainText(stdout), /user:\nReview main\.ts, kind\n\nassistant:\nI will\.\n$/)
})
