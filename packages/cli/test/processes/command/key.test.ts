// `toolrack key`: what it makes is taken by a server that reads the file, until it is revoked.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { call, build as serve } from '../../../../../test/support/app.ts'
import { runPiped } from '../../../../../test/support/command-line.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

const PROGRAM = join(import.meta.dirname, '../../../../../src/server.ts')

interface Place {
  readonly folder: string
  readonly file: string
  run(...args: readonly string[]): ReturnType<typeof runPiped>
  /** The ids in the file. */
  ids(): string[]
}

/** A folder with a file of keys, which the environment names. */
function place(t: Test, env: Record<string, string> = {}): Place {
  const { path: folder } = tempFolder(t, {}, 'keys')
  const file = join(folder, 'keys.json')
  return {
    folder,
    file,
    run: (...args) =>
      runPiped(t, ['key', ...args], { program: PROGRAM, cwd: folder, env: { API_KEYS_FILE: file, ...env } }),
    ids: () => JSON.parse(readFileSync(file, 'utf8')).keys.map(({ id }: { id: string }) => id),
  }
}

const tools = [defineTool({ name: 'who', scopes: ['prices:read'], handler: (_, { caller }) => JSON.stringify(caller) })]
const KEY = /^trk_[0-9a-f]{12}_[0-9a-f]{64}\n$/

t.test('a key is printed once, and a server takes it until it is revoked', async t => {
  const { file, run, ids } = place(t)
  const { code, stdout, stderr } = await run(
    'create',
    '--sub',
    'n8n',
    '--scope',
    'prices:read',
    '--claim',
    'tenant=acme',
  )
  const app = await serve(t, { apiKeysFile: file, tools })
  const headers = { authorization: `Bearer ${stdout.trim()}` }
  const answer = () => call(app, 'tools/call', { name: 'who', arguments: {} }, { headers })

  t.equal(code, 0)
  t.match(stdout, KEY, 'stdout has the key alone')
  t.match(
    stderr,
    /^This is the only time that the key is shown: [0-9a-f]{12}, of n8n, until .*\n.*Authorization: Bearer/,
  )
  t.notMatch(stderr, /API_KEYS_FILE/, 'the server has it already')
  t.notOk(readFileSync(file, 'utf8').includes(stdout.trim().split('_')[2]!), 'the file has no secret')
  t.match(JSON.parse((await answer()).result.content[0].text), { subject: 'n8n', claims: { tenant: 'acme' } })

  t.match(await run('revoke', ids()[0]!), { code: 0, stdout: /^revoked [0-9a-f]{12}\n$/ })
  await app.toolrack.reload()
  t.equal((await answer()).status, 401)
})

t.test('many at once lose nothing', async t => {
  const { run, ids } = place(t)
  const made = await Promise.all(Array.from({ length: 8 }, (_, at) => run('create', '--sub', `n${at}`, '--raw')))

  t.strictSame(
    made.map(({ code }) => code),
    Array(8).fill(0),
  )
  t.strictSame(made.map(({ stdout }) => stdout.split('_')[1]).sort(), ids().sort())
})
