// Commands: arguments are literal, and nothing of the server reaches a program.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { callTool, request } from '../../support/app.ts'
import { untilServed } from '../../support/replicas/pair.ts'
import { allowing, argumentsWriter, ownServer } from '../../support/tools/execute-command-rig.ts'
import { setting } from '../../support/tools/shipped.ts'

const HOSTILE = [
  '; touch pwned',
  '&& touch pwned',
  '| touch pwned',
  '> pwned',
  '$(touch pwned)',
  '`touch pwned`',
  '\ntouch pwned\n',
  '\r\n',
  '-rf',
  '--',
  '--upload-pack=touch pwned',
  '-oProxyCommand=touch pwned',
  '$HOME',
  '$PATH',
  '~',
  '*',
  '{a,b}',
  '"; touch pwned; "',
  "'; touch pwned; '",
  '\\',
  '%s%n',
  '',
  ' ',
  '\u001b[31m',
  '\u2028',
  'ä€😀',
  'x'.repeat(4096),
]

t.test('G8: every hostile argument reaches the program as one literal argument', async t => {
  const folder = t.testdir({})
  const { entry, name } = argumentsWriter(folder)
  setting(t, 'FILES_DIR', folder)
  const app = await allowing(t, entry)

  const { structuredContent } = await callTool(app, 'execute_command', { command: name, args: HOSTILE })

  t.strictSame(JSON.parse(structuredContent.stdout), HOSTILE)
  t.notOk(existsSync(join(folder, 'pwned')))
})

t.test('G8: after an entry that ends in `--` no argument is an option', async t => {
  const folder = t.testdir({ '-l': '' })
  const { entry, name } = argumentsWriter(folder, ' --')
  setting(t, 'FILES_DIR', folder)
  const app = await allowing(t, entry, 'ls --')

  const written = await callTool(app, 'execute_command', { command: name, args: ['--upload-pack=x', '-c'] })
  const listed = await callTool(app, 'execute_command', { command: 'ls', args: ['-l'] })

  t.strictSame(JSON.parse(written.structuredContent.stdout), ['--', '--upload-pack=x', '-c'])
  t.equal(listed.structuredContent.stdout, '-l\n')
})

t.test(
  'G8: a program is given five variables and three descriptors, and none of the secrets of the server',
  async t => {
    const folder = t.testdir({})
    const secrets = { GITHUB_TOKEN: 'ghp_secret', STATE_SECRET: 'x'.repeat(32), LD_LIBRARY_PATH: folder }
    const { url } = await ownServer(t, { ...secrets, EXEC_ALLOW: 'env,ls', FILES_DIR: folder })
    const run = async (command: string, ...args: string[]) => {
      const { message, headers } = request('tools/call', { name: 'execute_command', arguments: { command, args } })
      const { host: _, ...rest } = headers
      // Refused by a process that stood still with its machine, and so takes itself for overloaded, it comes again.
      const reply = await untilServed(() =>
        fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message) }),
      )
      return JSON.parse(await reply.text()).result.structuredContent.stdout
    }

    const variables = (await run('env')).trimEnd().split('\n').sort()
    const descriptors = await run('ls', '/proc/self/fd')

    const [mark, ...others] = variables.toReversed()
    t.strictSame(others.toReversed(), [`HOME=${folder}`, 'LANG=C.UTF-8', `PATH=${process.env['PATH']}`, 'TERM=dumb'])
    t.match(mark, /^TOOLRACK_CALL=[0-9a-f-]{36}$/)
    // What whoever started this process left open is passed on to all.
    t.equal(descriptors, spawnSync('ls', ['/proc/self/fd']).stdout.toString())
  },
)
