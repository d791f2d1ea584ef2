// docs/start/first-server.md, step by step: what a reader pastes into two terminals and an editor,
// from an empty folder to the image, with the packages of this repository in the registry.
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { noTerminal } from '../../support/command-line.ts'
import { until } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'
import { THIS_NODE } from '../../support/installed-package.ts'
import { packedEnv } from '../../support/packed-package.ts'
import { serveRegistry } from '../../support/published.ts'
import { openShell, type Shell } from '../../support/shell.ts'
import { tempFolder } from '../../support/tools-folder.ts'
import { buildFrom, makePlace } from '../deploy/image.ts'
import { plainFolder } from '../deploy/places.ts'

// npm fetches what a project needs, twice.
t.setTimeout(900_000)

const PAGE = readFileSync('docs/start/first-server.md', 'utf8')
const FILE = /^\/\/ (\S+)\n/
const SERVE = 'npm run dev\n'

interface Block {
  readonly language: string
  readonly code: string
}

const blocks: readonly Block[] = [...PAGE.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
  language: language!,
  code: code!,
}))

t.test('the page has what the issue asks for, and no line of it scrolls', async t => {
  t.strictSame([...new Set(blocks.map(({ language }) => language))].sort(), ['sh', 'text', 'ts'])
  t.strictSame(
    PAGE.split('\n').filter(line => line.length > 100),
    [],
  )
  for (const part of ['zod', 'testTools', '.env', 'confirm(', 'progress(', 'connect', 'key create', 'docker build'])
    t.ok(
      blocks.some(({ code }) => code.includes(part)),
      part,
    )
})

const toLiteral = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Each line that the page shows is in what was shown, in that order; `…` stands for anything. */
function isShown(expected: string, shown: string): boolean {
  const lines = expected.trim().split('\n')
  const toPattern = (line: string) => line.trim().split('…').map(toLiteral).join('.*').replace(/ +/g, '\\s+')
  return new RegExp(lines.map(toPattern).join('[\\s\\S]*')).test(shown)
}

const TOOLS = ['add_note', 'delete_note', 'greet', 'import_notes', 'share_note']

/** What a client sees that connects by the official SDK. */
async function listTools(port: number): Promise<readonly string[]> {
  const client = new Client({ name: 'reader', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name)
}

interface Deployment {
  readonly folder: string
  /** What the page has the reader paste: build, and run. */
  readonly commands: string
  readonly port: number
  readonly registry: string
}

/** `docker build`, and `docker run` with what its flags name, without a container engine. */
async function startImage(t: Test, { folder, commands, port, registry }: Deployment): Promise<void> {
  t.match(commands, /^docker build -t my-notes \.\ndocker run .*-p 127\.0\.0\.1:3000:3000 [\s\S]* my-notes\n$/)
  t.match(commands, /--env-file \.env -v "\$PWD\/keys\.json:\/app\/keys\.json:ro"/)
  const place = makePlace(t, plainFolder)
  const base = {
    place,
    env: { npm_config_registry: registry },
    workdir: '/',
    user: 'root',
    command: [],
    healthcheck: [],
  }
  const image = await buildFrom(base, readFileSync(join(folder, 'Dockerfile'), 'utf8'), folder)
  const root = join(place.root, image.workdir)
  t.equal(image.workdir, '/app')
  for (const name of ['.env', 'keys.json']) t.notOk(existsSync(join(root, name)), `${name} is not in the image`)

  cpSync(join(folder, 'keys.json'), join(root, 'keys.json'))
  const variables = parseEnv(readFileSync(join(folder, '.env'), 'utf8')) as Record<string, string>
  const env = { ...image.env, ...variables, PORT: String(port) }
  const child = place.spawn({ words: image.command, env, cwd: image.workdir, isUser: true, isReadOnly: true })
  t.teardown(() => child.kill('SIGKILL'))
  await until(async () => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.ok, 'it is ready')
}

t.test('each step shows what the page says', { skip: noTerminal, timeout: 900_000 }, async t => {
  const { path } = tempFolder(t, {}, 'work')
  const folder = join(path, 'my-notes')
  const port = await freePort()
  const atPort = (text: string) => text.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
  const env = {
    ...packedEnv,
    PATH: `${dirname(THIS_NODE.path)}:${packedEnv.PATH}`,
    // What `npm run dev` and `npx toolrack call` agree on.
    PORT: String(port),
    npm_config_registry: await serveRegistry(t),
    npm_config_cache: join(path, '.npm'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  const answers = [
    [/Ok to proceed\? \(y\)/, '\n'],
    [/Do you agree\? \(y\/N\)/, 'y\n'],
  ] as const
  const first = await openShell(t, { cwd: path, env, answers })
  let second: Shell | undefined
  let isServed = false
  let shown = ''

  async function stop(): Promise<void> {
    if (isServed) await first.interrupt()
    isServed = false
  }

  async function runCommands(code: string): Promise<void> {
    if (code.startsWith('docker ')) {
      await stop()
      return startImage(t, { folder, commands: code, port, registry: env.npm_config_registry })
    }
    if (code === SERVE) {
      await stop()
      shown = await first.begin(code, /^ {2}Next .*\n/m)
      isServed = true
      second ??= await openShell(t, { cwd: path, env, answers })
    } else shown = await (second ?? first).paste(code)
  }

  for (const { language, code } of blocks) {
    const file = FILE.exec(code)?.[1]
    if (language === 'sh') {
      await runCommands(code)
      if (code.includes('connect claude-code')) t.match(await listTools(port), TOOLS)
    } else if (language === 'text') t.ok(isShown(atPort(code), shown), `${code}is in ${shown}`)
    else {
      writeFileSync(join(folder, file!), code)
      // The page says that a tool is served as it is saved.
      if (isServed && !/\.test\.ts$|\/_/.test(file!)) await first.shows(new RegExp(`reloaded: .*${toLiteral(file!)}`))
    }
  }
})
