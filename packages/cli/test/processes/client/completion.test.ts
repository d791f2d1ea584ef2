// `toolrack completion`: what a real bash, zsh and fish show at Tab.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import t, { type Test } from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import { type Ended, runPiped } from '../../../../../test/support/command-line.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { listen } from '../../../../../test/support/servers/http-server.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

const add = defineTool({ name: 'add_numbers', description: 'Adds. And more.', handler: () => 'x' })
const hostile = defineTool({ name: 'get_price', description: 'Gets\ta price.', handler: () => 'x' })

interface Place {
  readonly env: Record<string, string>
  readonly cwd: string
  complete(words: readonly string[], shell?: string): Promise<string[]>
}

/** A folder with two files, an empty config folder, and `toolrack` in PATH. */
async function place(t: Test, port?: number): Promise<Place> {
  const { path: cwd } = tempFolder(t, { 'alpha.ts': '', 'beta.json': '' }, 'work')
  const bin = join(cwd, '.bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'toolrack'), `#!/bin/sh\nexec '${process.execPath}' '${serverProgram()}' "$@"\n`)
  chmodSync(join(bin, 'toolrack'), 0o755)
  const env = {
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
    HOME: join(cwd, '.home'),
    PORT: String(port ?? (await freePort())),
    NO_COLOR: '1',
    TERM: 'xterm',
  }
  return {
    env,
    cwd,
    async complete(words, shell = 'fish') {
      const ended: Ended = await runPiped(t, ['complete', shell, '--', ...words], { env, cwd })
      t.strictSame([ended.code, ended.stderr], [0, ''], words.join(' '))
      return ended.stdout.split('\n').flatMap(line => line.split('\t', 1)[0] || [])
    },
  }
}

t.test('completion: commands, options, choices, clients and files', async t => {
  const { complete } = await place(t)

  t.strictSame(await complete(['lo']), ['login', 'logout'])
  t.ok((await complete([''])).includes('completion'))
  t.strictSame(await complete(['key', '']), ['create', 'list', 'revoke', 'help'])
  t.strictSame(await complete(['call', '--log']), ['--log-level'])
  t.ok((await complete(['call', '--log-level', ''])).includes('debug'))
  t.strictSame(await complete(['call', '--log-level=de']), ['--log-level=debug'])
  t.strictSame(await complete(['call', '--log-level', '=', 'de'], 'bash'), ['debug'])
  t.strictSame(await complete(['connect', 'vs']), ['vscode'])
  t.strictSame(await complete(['connect', 'codex', '--file', '']), [':files'])
  t.strictSame(await complete(['start', '']), [':files'])
  t.ok((await complete(['start', '--rate'])).includes('--rate-limit-max'))
  t.strictSame(await complete(['start', '--jwt-secret']), ['--jwt-secret-file'])
  t.strictSame(await complete(['completion', '']), ['bash', 'zsh', 'fish'])
  t.strictSame(await complete(['help', 'do']), ['doctor'])
  t.strictSame(await complete(['nonsense', '--']), ['--version', '--help'])
})

t.test('completion: names of servers, and tools of the server that the line names', async t => {
  const { url } = await listening(t, { tools: [add, hostile] })
  const { complete, env, cwd } = await place(t, Number(new URL(url).port))
  await runPiped(t, ['server', 'add', 'prod', url], { env, cwd })

  t.strictSame(await complete(['call', '']), ['prod', 'add_numbers', 'get_price'])
  t.strictSame(await complete(['call', 'a']), ['add_numbers'])
  t.strictSame(await complete(['call', 'prod', 'g']), ['get_price'])
  t.strictSame(await complete(['call', 'add_numbers', '']), [])
  t.strictSame(await complete(['list', 'prod', 'a']), ['add_numbers'])
  t.strictSame(await complete(['server', 'remove', 'p']), ['prod'])
  t.strictSame(await complete(['doctor', 'p']), ['prod'])
})

t.test('completion: a server that is down, silent or hostile shows nothing, and soon', async t => {
  const { complete } = await place(t)
  t.strictSame(await complete(['call', '']), [])

  const silent = await listen(t, () => {})
  const { complete: ofSilent } = await place(t, Number(new URL(silent).port))
  t.strictSame(await ofSilent(['call', '']), [])
})

t.test('completion: what a shell would obey is never suggested', async t => {
  const evil = await listen(t, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, method } = JSON.parse(body || '{}')
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'e', version: '1' },
      },
      'tools/list': {
        tools: ['$(touch owned)', 'a;b', '`id`', 'good', "it's"].map(name => ({
          name,
          inputSchema: { type: 'object' },
        })),
      },
    }
    if (id === undefined) return void response.writeHead(202).end()
    const result = results[method]
    const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  const { complete } = await place(t, Number(new URL(evil).port))
  t.strictSame(await complete(['call', '']), ['good'])
})

t.test('completion: another shell is refused', async t => {
  t.match(await runPiped(t, ['completion', 'tcsh']), { code: 2, stderr: /bash, zsh, fish/ })
})

const isThere = (shell: string) => spawnSync(shell, ['--version'], { stdio: 'ignore' }).status === 0
const skip = (shell: string) => !isThere(shell) && `there is no ${shell} here`

/** Runs a script in a shell while this process goes on serving. */
async function inShell(shell: readonly string[], script: string, { env, cwd }: Place): Promise<string> {
  const { spawn } = await import('node:child_process')
  const [program, ...args] = shell
  const child = spawn(program!, [...args, script], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', chunk => (out += chunk))
  await new Promise(resolve => child.on('close', resolve))
  return out
}

const BASH = `
source <(toolrack completion bash)
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=(); _toolrack; printf '<%s>' "\${COMPREPLY[@]}"; echo; }
ask toolrack lo
ask toolrack call a
ask toolrack call --log-level = de
ask toolrack start al
ask toolrack call '$(touch owned)' ''
ls
complete -p toolrack`

t.test('completion: in bash', { skip: skip('bash') }, async t => {
  const { url } = await listening(t, { tools: [add] })
  const here = await place(t, Number(new URL(url).port))
  const lines = (await inShell(['bash', '--norc', '-c'], BASH, here)).trimEnd().split('\n')

  t.strictSame(lines, [
    '<login><logout>',
    '<add_numbers>',
    '<debug>',
    '<alpha.ts>',
    '<>',
    'alpha.ts',
    'beta.json',
    'complete -F _toolrack toolrack',
  ])
})

t.test('completion: in fish', { skip: skip('fish') }, async t => {
  const { url } = await listening(t, { tools: [add] })
  const here = await place(t, Number(new URL(url).port))
  const script = `toolrack completion fish | source
for line in 'toolrack lo' 'toolrack call a' 'toolrack call --log-level de' 'toolrack start al'
  complete -C "$line"
  echo ==
end`
  const out = await inShell(['fish', '--no-config', '-c'], script, here)

  t.match(out, /^login\tsigns in .*\nlogout\tforgets .*\n==\nadd_numbers\tAdds\. .*\n==\ndebug\n==\nalpha\.ts\n==\n$/)
})

t.test('completion: in zsh', { skip: skip('zsh') }, async t => {
  const { url } = await listening(t, { tools: [add] })
  const here = await place(t, Number(new URL(url).port))
  // In a terminal of its own, where Tab is typed.
  const script = `zmodload zsh/zpty
zpty z zsh -f -i
send() { zpty -w -n z "$1" }
# Reads what the terminal shows until it has this.
until_seen() { local part; zpty -r z part "*$1*"; print -r -- "$part" }
send $'PS1="READY> "; autoload -U compinit; compinit -u -D; source <(toolrack completion zsh); print LOA""DED\\n'
until_seen LOADED >/dev/null
send $'toolrack call a\\t'
until_seen add_numbers | grep -o add_numbers | head -1
send $'\\025toolrack doct\\t'
until_seen doctor | grep -o doctor | head -1
zpty -d z`
  t.equal(await inShell(['zsh', '-f', '-c'], script, here), 'add_numbers\ndoctor\n')
})
