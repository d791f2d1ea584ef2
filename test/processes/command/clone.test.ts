// The first commands of the README, in a clone: install, start with a folder of one's own, call.
import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { until } from '../../support/eventually.ts'
import { OLD_NODE } from '../../support/old-node.ts'

const run = promisify(execFile)
const ENVIRONMENT = { PATH: process.env['PATH']!, HOME: process.env['HOME'] ?? '/', NO_COLOR: '1' }

/** What git has, with changes that are not committed, and nothing that was built. */
async function clone(t: Test): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-clone-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  for (const file of listed.stdout.split('\0').filter(each => each !== '' && !each.startsWith('test/'))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(file, join(folder, file))
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return folder
}

const GREET = `import { defineTool, Type } from 'toolrack'

export default defineTool({
  name: 'greet',
  description: 'Greets somebody by name.',
  inputSchema: Type.Object({ name: Type.String() }),
  handler: ({ name }) => \`Hello, \${name}!\`,
})
`

t.test('npm start serves a folder and the console, and npx toolrack calls it', async t => {
  const cwd = await clone(t)
  mkdirSync(join(cwd, 'my-tools'))
  writeFileSync(join(cwd, 'my-tools/greet.ts'), GREET)
  const child = spawn('npm', ['start', '--', './my-tools'], { cwd, env: { ...ENVIRONMENT, PORT: '0' }, detached: true })
  t.teardown(() => void process.kill(-child.pid!, 'SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  await until(() => /"msg":"started"|npm error/.test(output), 'the server has started')
  const [, url = ''] = /"page":"([^"]+)\/"/.exec(output) ?? []

  t.equal((await fetch(`${url}/console/`)).status, 200, 'the console is built')
  const { stdout } = await run('npx', ['--no', 'toolrack', 'call', `${url}/mcp`, 'greet', 'name=Ada'], {
    cwd,
    env: ENVIRONMENT,
  })
  t.equal(stdout, 'Hello, Ada!\n')
})

t.test('npm install on Node 20 prints a handful of lines', { skip: OLD_NODE.skip }, async t => {
  const env = { ...ENVIRONMENT, PATH: `${dirname(OLD_NODE.path)}:/usr/bin:/bin` }

  const { stdout, stderr } = await run('npm', ['install', '--dry-run', '--offline', '--no-audit', '--no-fund'], { env })

  t.equal(stderr, '')
  t.ok(stdout.split('\n').length < 15, 'a handful of lines')
})
