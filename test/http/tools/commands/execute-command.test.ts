import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { build, call, callTool } from '../../../support/app.ts'
import { allowing, argumentsWriter, SHELL, shell } from '../../../support/tools/execute-command-rig.ts'
import { errorOf, SHIPPED, setting, toolModule } from '../../../support/tools/shipped.ts'

const names = (reply: { result: { tools: { name: string }[] } }) => reply.result.tools.map(({ name }) => name)

t.test('execute_command: is not served where EXEC_ALLOW names nothing', async t => {
  setting(t, 'EXEC_ALLOW', undefined)
  const app = await build(t, SHIPPED)

  const reply = await call(app, 'tools/list')

  t.notOk(names(reply as never).includes('execute_command'))
})

t.test('execute_command: lists what is allowed by its names', async t => {
  const app = await allowing(t, 'ls', ' echo  -n  hello -- ', process.execPath)

  const { result } = await call(app, 'tools/list')

  const tool = result.tools.find(({ name }: { name: string }) => name === 'execute_command')
  t.strictSame(tool.inputSchema.properties.command.enum, ['ls', 'echo -n hello', 'node'])
  t.strictSame(tool.annotations, {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  })
})

for (const [entries, fault] of [
  ['ls,no-such-program-1', '"no-such-program-1": no folder of PATH has that program'],
  ['/no/such/program -x', '"/no/such/program -x": expected an executable file'],
  ['/etc/passwd', '"/etc/passwd": expected an executable file'],
  [tmpdir(), `"${tmpdir()}": expected an executable file`],
  ['./ls', '"./ls": expected the name of a program or its absolute path'],
  ['../bin/ls', '"../bin/ls": expected the name of a program or its absolute path'],
  ['-- ls', '"-- ls": expected the name of a program or its absolute path'],
  ['ls,ls --', '"ls --": a second entry is named "ls"'],
  [' , ', 'expected at least one program'],
] as const) {
  t.test(`execute_command: EXEC_ALLOW=${entries} is refused, and says why`, async t => {
    const { programsOf } =
      await toolModule<typeof import('../../../../tools/_command/programs.ts')>('_command/programs.ts')

    t.throws(() => programsOf(entries), { message: `EXEC_ALLOW: ${fault}` })
  })
}

t.test('execute_command: is not served where EXEC_ALLOW is wrong, and the log says why', async t => {
  setting(t, 'EXEC_ALLOW', 'ls,ls --')
  const app = await build(t, SHIPPED)

  const reply = await call(app, 'tools/list')

  t.notOk(names(reply as never).includes('execute_command'))
  const line = app.logs.lines.find(({ level }) => level >= 50)
  t.match(line.file, /execute-command\.ts$/)
  t.equal(line.reason, 'EXEC_ALLOW: "ls --": a second entry is named "ls"')
})

t.test('execute_command: returns both streams and the exit code, as structure and as text', async t => {
  const app = await allowing(t, SHELL)

  const result = await shell(app, 'echo out; echo err >&2')

  t.notOk(result.isError)
  const { durationMs, ...rest } = result.structuredContent
  t.strictSame(rest, {
    command: SHELL,
    args: ['echo out; echo err >&2'],
    exitCode: 0,
    stdout: 'out\n',
    stderr: 'err\n',
    isCut: false,
    droppedBytes: 0,
  })
  t.ok(Number.isInteger(durationMs) && durationMs >= 0)
  t.equal(result.content[0].text, 'Exit code 0.\nstderr:\nerr\nstdout:\nout')
})

t.test('execute_command: an exit code other than 0 is an error that keeps the output', async t => {
  const app = await allowing(t, SHELL)

  const result = await shell(app, 'echo no such thing >&2; exit 3')

  t.match(errorOf(result), /^Exit code 3\.\nstderr:\nno such thing$/)
  t.match(result.structuredContent, { exitCode: 3, stderr: 'no such thing\n' })
})

t.test('execute_command: an end by a signal is an error that names it', async t => {
  const app = await allowing(t, SHELL)

  const result = await shell(app, 'kill -SEGV $$')

  t.match(errorOf(result), /^Ended by SIGSEGV\.$/)
  t.match(result.structuredContent, { exitCode: null, signal: 'SIGSEGV' })
})

t.test('execute_command: what the entry has comes first, and `args` may be left out', async t => {
  const { entry, name } = argumentsWriter(t.testdir({}), ' --first -2')
  const app = await allowing(t, entry)
  const command = `${name} --first -2`

  const bare = await callTool(app, 'execute_command', { command })
  const { structuredContent } = await callTool(app, 'execute_command', { command, args: ['third'] })

  t.equal(bare.structuredContent.stdout, '["--first","-2"]')
  t.equal(structuredContent.stdout, '["--first","-2","third"]')
})

t.test('execute_command: runs in the files folder, or in the folder for temporary files', async t => {
  const app = await allowing(t, 'pwd')
  const folder = t.testdir({})
  const where = async () => (await callTool(app, 'execute_command', { command: 'pwd' })).structuredContent.stdout

  setting(t, 'FILES_DIR', undefined)
  t.equal(await where(), `${tmpdir()}\n`)
  setting(t, 'FILES_DIR', folder)
  t.equal(await where(), `${folder}\n`)
  setting(t, 'FILES_DIR', join(folder, 'missing'))
  t.match(errorOf(await callTool(app, 'execute_command', { command: 'pwd' })), /operator should check FILES_DIR/)
})

t.test('execute_command: a program that reads its input finds the end of it', async t => {
  const app = await allowing(t, 'cat')

  const { structuredContent } = await callTool(app, 'execute_command', { command: 'cat' })

  t.match(structuredContent, { exitCode: 0, stdout: '' })
})

t.test('execute_command: a program that cannot be started any more is an error for the operator', async t => {
  const file = join(t.testdir({}), 'tool')
  writeFileSync(file, '#!/no/such/interpreter\n', { mode: 0o755 })
  const app = await allowing(t, file)

  const result = await callTool(app, 'execute_command', { command: 'tool' })

  t.equal(errorOf(result), 'The program cannot be started (ENOENT). The operator should check it and EXEC_ALLOW.')
})

t.test('execute_command: what breaks its schema is refused before anything runs', async t => {
  const app = await allowing(t, 'ls')

  for (const args of [
    { command: 'ls', args: ['a\0b'] },
    { command: 'ls', args: Array(101).fill('a') },
    { command: 'ls', args: ['x'.repeat(4097)] },
    { command: 'ls', args: '-l' },
    { command: 'ls', env: { PATH: '.' } },
    { command: 'id' },
    { command: 'ls -l' },
    { command: '/bin/ls' },
    { command: 'constructor' },
  ]) {
    const result = await callTool(app, 'execute_command', args)

    t.ok(errorOf(result), JSON.stringify(args).slice(0, 60))
    t.equal(result.structuredContent, undefined)
  }
})
