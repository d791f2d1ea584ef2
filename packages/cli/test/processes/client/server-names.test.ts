// `toolrack server`: names for servers, and the commands that take them in place of a URL.
import { lstatSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import { noTerminal, runOnTerminal, runPiped } from '../../../../../test/support/command-line.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

const JWT_SECRET = 'a secret of 32 bytes, or some more'

function place(t: Test) {
  const { path: home } = tempFolder(t, {}, 'home')
  const file = join(home, '.config', 'toolrack', 'servers.json')
  const env = { HOME: home, PORT: '9' }
  return {
    env,
    file,
    run: (args: readonly string[], more: Record<string, string> = {}) =>
      runPiped(t, args, { env: { ...env, ...more }, cwd: home }),
  }
}

const add = defineTool({
  name: 'add',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } } as const,
  handler: ({ a }) => `sum ${a}`,
})
const prod = defineTool({ name: 'prod', handler: () => 'the tool' })

t.test('server names: a name stands wherever a command takes a URL', async t => {
  const { url } = await listening(t, { tools: [add, prod] })
  const { run, file } = place(t)

  t.match(await run(['server', 'add', 'prod', url]), { code: 0, stdout: `prod is ${url}.\n`, stderr: '' })
  t.match(await run(['call', 'prod', 'add', 'a=2']), { code: 0, stdout: 'sum 2' })
  t.match(await run(['list', 'prod']), { code: 0, stdout: /^add\(/ })
  t.match(await run(['list', 'prod', 'p*']), { code: 0, stdout: /^prod\(/ })
  t.match(await run(['doctor', 'prod']), { stdout: new RegExp(`problems?, .*: ${url}\n$`) })
  t.match(await run(['connect', 'codex', '--url', 'prod']), { code: 0, stdout: new RegExp(`--url ${url}\n`) })
  t.match(await run(['logout', 'prod']), { code: 1, stderr: `nobody is signed in to ${url} here\n` })
  t.equal(statSync(file).mode & 0o777, 0o600)
})

t.test('server names: a name wins over a tool, and says so', async t => {
  const { url } = await listening(t, { tools: [add, prod] })
  const { run } = place(t)
  await run(['server', 'add', 'prod', url])

  t.match(await run(['call', 'prod', 'a=1']), {
    code: 2,
    stderr: 'prod is the name of a server, so its tool comes next: toolrack call prod TOOL a=1 …\n',
  })
  t.match(await run(['call', 'prod']), { code: 2, stderr: /the name of the tool is missing/ })
  t.match(await run(['call', url, 'prod']), { code: 0, stdout: 'the tool' })
  t.match(await run(['call', 'add', 'prod']), { code: 2, stderr: /the URL comes first: toolrack call prod add/ })
})

t.test('server names: list, change, remove', async t => {
  const { run, file } = place(t)
  t.match(await run(['server', 'list']), { code: 0, stdout: '', stderr: /server add prod/ })
  await run(['server', 'add', 'prod', 'https://example.com/mcp?api_key=sesame'])
  await run(['server', 'add', 'dev', 'localhost:3000', '--token-env', 'DEV_TOKEN'])

  const list = await run(['server', 'list'])
  t.equal(list.stdout, 'dev   http://localhost:3000/     token in DEV_TOKEN\nprod  https://example.com/mcp?…\n')
  t.match(JSON.parse((await run(['server', 'list', '--json'])).stdout), [
    { name: 'dev', url: 'http://localhost:3000/', tokenEnv: 'DEV_TOKEN', isSignedIn: false },
    { name: 'prod', url: 'https://example.com/mcp?…' },
  ])
  t.match(await run(['server', 'add', 'prod', 'https://other.example/mcp']), {
    code: 1,
    stderr: 'prod is https://example.com/mcp?… already; --force changes it\n',
  })
  t.match(await run(['server', 'add', 'prod', 'https://other.example/mcp', '--force']), { code: 0 })
  t.match(await run(['server', 'remove', 'pord']), { code: 1, stderr: /did you mean prod\?/ })
  t.match(await run(['server', 'remove', 'prod', 'dev']), { code: 0, stdout: 'Forgotten: prod, dev.\n' })
  t.strictSame(JSON.parse(readFileSync(file, 'utf8')), { servers: {} })
})

t.test('server names: what is no name, no URL or no variable is refused', async t => {
  const { run } = place(t)
  for (const name of ['https://x', 'a.b', 'a=b', '1st', 'localhost', '', 'a'.repeat(33), '__proto__'])
    t.match(
      await run(['server', 'add', name, 'https://example.com']),
      { code: 2, stderr: /expected a name such as prod/ },
      name,
    )
  t.match(await run(['server', 'add', 'a', 'ftp://x']), { code: 2, stderr: /expected a URL/ })
  t.match(await run(['server', 'add', 'a', 'https://u:secret1@x']), { code: 2, stderr: /^(?!.*secret1).*password/ })
  const token = await run(['server', 'add', 'a', 'https://x', '--token-env', 'eyJhbGciOi.x'])
  t.match(token, { code: 2, stderr: /--token-env: expected the name of a variable/ })
  t.notMatch(token.stderr, 'eyJ')
  t.match(await run(['server', 'add', 'constructor', 'https://x.example']), { code: 0 })
  t.match(await run(['server']), { code: 2 })
})

t.test('server names: the token is in the variable that the server names', async t => {
  const { url } = await listening(t, { tools: [add], jwt: { secret: JWT_SECRET }, port: await freePort() })
  const { run } = place(t)
  const { stdout: token } = await run(['token', '--sub', 'a', '--raw', '--aud', url], { JWT_SECRET })
  await run(['server', 'add', 'prod', url, '--token-env', 'PROD_TOKEN'])

  t.match(await run(['list', 'prod']), {
    code: 2,
    stderr: 'prod: expected its token in the variable PROD_TOKEN, which is not set\n',
  })
  t.match(await run(['list', 'prod'], { PROD_TOKEN: token.trim() }), { code: 0, stdout: /^add/ })
  t.match(await run(['list', 'prod', '--token', token.trim()]), { code: 0, stdout: /^add/ })
})

t.test('server names: several at once lose none, and a file with a fault is named', async t => {
  const { run, file } = place(t)
  const names = ['a', 'b', 'c', 'd', 'e']
  const ended = await Promise.all(names.map(name => run(['server', 'add', name, 'https://x.example/mcp'])))
  t.ok(ended.every(({ code }) => code === 0))
  t.strictSame(Object.keys(JSON.parse(readFileSync(file, 'utf8')).servers).sort(), names)

  writeFileSync(file, '{')
  t.match(await run(['call', 'prod', 'add']), { code: 1, stderr: /servers\.json is not a list of servers; correct it/ })
  t.match(await run(['list', 'http://127.0.0.1:2']), { code: 1, stderr: /nothing listens/ })
})

t.test('server names: a link to a file elsewhere stays a link', async t => {
  const { run, file } = place(t)
  await run(['server', 'add', 'one', 'https://one.example/mcp'])
  const kept = join(dirname(file), 'kept.json')
  renameSync(file, kept)
  symlinkSync('kept.json', file)

  t.match(await run(['server', 'add', 'two', 'https://two.example/mcp']), { code: 0 })
  t.ok(lstatSync(file).isSymbolicLink())
  t.strictSame(Object.keys(JSON.parse(readFileSync(kept, 'utf8')).servers), ['one', 'two'])
})

t.test('server names: on a terminal', { skip: noTerminal }, async t => {
  const { run, env } = place(t)
  await run(['server', 'add', 'prod', 'https://example.com/mcp'])
  t.match((await runOnTerminal(t, ['server', 'list'], { env })).stdout, 'prod  https://example.com/mcp')
})
