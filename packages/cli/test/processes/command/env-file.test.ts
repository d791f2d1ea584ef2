// `.env` in the folder of a project: dev, start and check read it before the tools are loaded.
import { join } from 'node:path'
import t from 'tap'
import { runPiped } from '../../../../../test/support/command-line.ts'
import { callOver, start } from '../../../../../test/support/servers/own-process.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

t.jobs = 3

const TOOL = `import { defineTool } from 'toolrack'
const url = process.env['API_URL'] ?? 'none'
console.error('top level', url)
export default defineTool({ name: 'where', description: 'Says where.', handler: () => url + ' ' + process.env['NOTE'] })
`
const HUSH = 'hush-hush-hush'
const FILES = { 'tools/where.ts': TOOL, '.env': `API_URL=https://${HUSH}.example\nNOTE=of-the-file\n` }
const SERVED = { content: [{ text: `https://${HUSH}.example of-the-shell` }] }
const SAID = 'read 1 variable of .env: API_URL; without NOTE, which the environment sets'

for (const args of [['dev'], ['start'], []]) {
  t.test(`toolrack ${args}: a tool has the variables as it is loaded, and the log has their names`, async t => {
    const { path } = tempFolder(t, FILES)

    const server = await start(t, serverProgram(), { NOTE: 'of-the-shell' }, path, args)

    t.match((await callOver(server.url, 'where')).body.result, SERVED)
    t.match(server.stdout, SAID)
    t.notMatch(server.stdout.replace(/^top level.*$/m, ''), HUSH)
  })
}

t.test('in production it is not read, which the log says; --env-file reads a file', async t => {
  const { path } = tempFolder(t, FILES)
  const settings = { NODE_ENV: 'production', NOTE: 'of-the-shell' }

  const plain = await start(t, serverProgram(), settings, path)
  t.match((await callOver(plain.url, 'where')).body.result, { content: [{ text: 'none of-the-shell' }] })
  const said = '.env is not read with NODE_ENV=production; --env-file .env reads it'
  t.match(
    plain.lines.find(({ file }) => file === '.env'),
    { level: 30, msg: said },
  )

  const asked = await start(t, serverProgram(), settings, path, ['start', '--env-file', '.env'])
  t.match((await callOver(asked.url, 'where')).body.result, SERVED)
})

t.test('check: tools have the variables, stdout has the findings alone', async t => {
  const { path: cwd } = tempFolder(t, FILES)

  const { code, stdout, stderr } = await runPiped(t, ['check', '--json'], { cwd, env: { NOTE: 'x' } })

  t.equal(code, 0)
  t.match(JSON.parse(stdout), { errors: [], warnings: [] })
  t.match(stderr, SAID)
  t.match(stderr, `top level https://${HUSH}.example`)
})

t.test('key: API_KEYS_FILE of the file is the file of keys', async t => {
  const { path: cwd } = tempFolder(t, { '.env': 'API_KEYS_FILE=keys.json\n' })

  const { stderr } = await runPiped(t, ['key', 'create', '--sub', 'ci'], { cwd })

  t.match(stderr, 'This is the only time')
  t.notMatch(stderr, 'The server needs', 'the server has it by the same file')
  t.match((await runPiped(t, ['key', 'list'], { cwd })).stdout, 'ci')
})

for (const command of [['dev'], ['start'], ['check'], [], ['token', '--sub', 'a'], ['key', 'list']]) {
  t.test(`toolrack ${command.join(' ')}: a broken file is one line, without its text`, async t => {
    const { path: cwd } = tempFolder(t, { 'tools/where.ts': TOOL, '.env': `A=1\n${HUSH}\n` })

    const { code, stdout, stderr } = await runPiped(t, command, { cwd })

    t.strictSame(
      { code, stdout, stderr },
      {
        code: 1,
        stdout: '',
        stderr: '.env:2: expected NAME=value, or # before a comment\n',
      },
    )
  })
}

t.test('a file that is named and missing is refused', async t => {
  const { path: cwd } = tempFolder(t, { 'tools/where.ts': TOOL })
  const missing = join(cwd, 'none.env')

  // Node itself looks at this option, too.
  t.match(await runPiped(t, ['start', '--env-file', missing], { cwd }), { stdout: '', stderr: `${missing}: not found` })
})
