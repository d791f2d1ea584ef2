// `toolrack key`: what it prints, what it writes, and what it refuses.
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { keysJson, testKey } from '../../../test/support/auth/api-keys.ts'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { formatError, getExitCode } from '../src/errors.ts'
import { createIo } from '../src/io.ts'
import { changeKeyFile } from '../src/key-file.ts'
import { runProgram } from '../src/program.ts'

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface Place {
  readonly folder: string
  readonly file: string
  run(...args: readonly string[]): Promise<Ended>
  /** The ids in the file. */
  ids(): string[]
}

/** A folder for a file of keys, which the environment names. */
function place(t: Test, { isNamed = true } = {}): Place {
  const { path: folder } = tempFolder(t, {}, 'keys')
  const file = join(folder, 'keys.json')
  const { API_KEYS_FILE: before } = process.env
  t.teardown(() => {
    if (before === undefined) delete process.env['API_KEYS_FILE']
    else process.env['API_KEYS_FILE'] = before
  })
  return {
    folder,
    file,
    run: (...args) => {
      process.env['API_KEYS_FILE'] = isNamed ? file : ''
      return run(args)
    },
    ids: () => JSON.parse(readFileSync(file, 'utf8')).keys.map(({ id }: { id: string }) => id),
  }
}

/** As the process runs it. */
async function run(args: readonly string[]): Promise<Ended> {
  const out = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof out) =>
    new Writable({
      write(text, _encoding, done) {
        out[name] += text
        done()
      },
    })
  const io = createIo({ stdin: {}, stdout: stream('stdout'), stderr: stream('stderr') } as unknown as NodeJS.Process)
  try {
    await runProgram(['key', ...args], io)
    return { code: 0, ...out }
  } catch (error) {
    return { code: getExitCode(error), ...out, stderr: `${formatError(error)}\n` }
  }
}

t.test('a key that has leaked is revoked by its text', async t => {
  const { run, ids } = place(t)
  const { stdout } = await run('create', '--sub', 'n8n', '--raw')

  t.equal((await run('revoke', stdout.trim())).code, 0)
  t.strictSame(ids(), [])
})

t.test('a claim is text, or JSON behind :=', async t => {
  const { run } = place(t)
  const { stdout } = await run('create', '--sub', 'ci', '--json', '--claim', 'tenant=acme', '--claim', 'groups:=["a"]')

  t.strictSame(JSON.parse(stdout).claims, { tenant: 'acme', groups: ['a'] })
})

t.test('life, name and file are those that are asked for; 90 days by default', async t => {
  const { folder, run } = place(t, { isNamed: false })
  const other = join(folder, 'other.json')
  const daysOf = async (...args: string[]) => {
    const { stdout } = await run('create', '--file', other, '--sub', 'ci', '--json', ...args)
    const { created, expires, ...rest } = JSON.parse(stdout)
    return { days: (Date.parse(expires) - Date.parse(created)) / 86_400_000, ...rest }
  }

  t.match(await daysOf(), { days: 90, subject: 'ci', scopes: [], file: other, key: /^trk_/ })
  t.match(await daysOf('--ttl', '12h', '--name', 'the job'), { days: 0.5, name: 'the job' })
  t.match(await daysOf('--ttl', '366d'), { days: 366 })
  const { stderr } = await run('create', '--file', other, '--sub', 'ci')
  t.match(stderr, `API_KEYS_FILE=${other}`, 'the settings do not name it')
})

t.test('keys whose subjects look alike are told apart in the list', async t => {
  const subjects = ['ci', 'ci\u200b', 'c i', 'c  i', 'c\u00a0i']
  const { file, run } = place(t)
  writeFileSync(file, keysJson(...subjects.map(subject => testKey({ subject }))))

  const { stdout } = await run('list')

  const shown = stdout
    .split('\n')
    .slice(1, -1)
    .map(line => /^\S+ {2}(.+?) {2}–/.exec(line)?.[1]?.trimEnd())
  t.equal(new Set(shown).size, subjects.length, stdout)
  t.match(stdout, 'ci\\u{200b}')
})

t.test('keys are listed without secrets, and with their state', async t => {
  const { file, run } = place(t)
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const keys = [
    testKey({ subject: 'long', scopes: ['a', 'b'], claims: { tenant: 'acme', level: 3 }, expires: day(80) }),
    testKey({ subject: 'soon', expires: day(3), name: 'in the office' }),
    testKey({ subject: 'past', created: day(-30), expires: day(-1) }),
  ]
  writeFileSync(file, keysJson(...keys))

  const { stdout } = await run('list')
  const json = JSON.parse((await run('list', '--json')).stdout)

  const [heading, ...rows] = stdout.trimEnd().split('\n')
  t.match(heading, /^ID +SUBJECT +SCOPES +CLAIMS +EXPIRES +STATE +NAME$/)
  t.match(rows, [
    / long +a b +tenant=acme level=3 .* valid/,
    / soon .* expires soon +in the office/,
    / past .* expired/,
  ])
  t.match(json.keys, [{ state: 'valid' }, { state: 'expires soon' }, { state: 'expired' }])
  for (const { key, record } of keys) t.notOk(`${stdout}${JSON.stringify(json)}`.includes(record.hash), key)
})

t.test('a new file is for its owner alone, and one that is there keeps its mode and its link', async t => {
  const { folder, file, run } = place(t)
  await run('create', '--sub', 'n8n')
  t.equal(statSync(file).mode & 0o777, 0o600)

  chmodSync(file, 0o640)
  const link = join(folder, 'link.json')
  symlinkSync('keys.json', link)
  await run('create', '--sub', 'n8n', '--file', link)

  t.equal(statSync(file).mode & 0o777, 0o640)
  t.ok(lstatSync(link).isSymbolicLink())
  t.equal(JSON.parse(readFileSync(file, 'utf8')).keys.length, 2)
  t.strictSame(readdirSync(folder).sort(), ['keys.json', 'link.json'], 'nothing is left behind')
})

t.test('a file with a fault is not changed', async t => {
  const { file, run } = place(t)
  writeFileSync(file, '{"keys":[{"id":"abcd"}]}')

  for (const args of [['create', '--sub', 'n8n'], ['list'], ['revoke', 'abcd']])
    t.match(await run(...args), { code: 1, stdout: '', stderr: /keys\.json: keys\[0\] \(abcd\): hash: expected / })
  t.equal(readFileSync(file, 'utf8'), '{"keys":[{"id":"abcd"}]}')
})

t.test('a file that another command holds is not changed, and the message says what to do', async t => {
  const { file } = place(t)
  writeFileSync(`${file}.lock`, '4711')

  const message = /keys\.json\.lock is there: process 4711 .*delete .*keys\.json\.lock/
  await t.rejects(
    changeKeyFile(file, records => ({ records, result: undefined }), 1),
    { message },
  )
  t.notOk(existsSync(file))
})

t.test('a change that fails leaves nothing behind', async t => {
  const { folder, file, run } = place(t)
  await run('create', '--sub', 'n8n')
  const before = readFileSync(file, 'utf8')
  const fail = () => {
    throw new Error('changed my mind')
  }

  await t.rejects(changeKeyFile(file, fail), /changed my mind/)
  await t.rejects(
    changeKeyFile(file, records => ({ records: [...records, ...records], result: undefined })),
    /has its id, too; nothing is written/,
  )

  t.equal(readFileSync(file, 'utf8'), before)
  t.strictSame(readdirSync(folder), ['keys.json'])
})

const WRONG: readonly (readonly [args: readonly string[], code: number, stderr: RegExp])[] = [
  [['create'], 2, /^--sub: expected who calls/],
  [['create', '--sub', 'x'.repeat(513)], 2, /^--sub: expected a text of 1 to 512/],
  [['create', '--sub', 'n8n', '--scope', 'a"b'], 2, /^--scope: expected an array/],
  [['create', '--sub', 'n8n', '--ttl', '90'], 2, /^--ttl: expected a time with its unit/],
  [['create', '--sub', 'n8n', '--ttl', '367d'], 2, /^--ttl: expected .*at most 366d/],
  [['create', '--sub', 'n8n', '--claim', 'tenant'], 2, /^--claim: expected a name and a value/],
  [['create', '--sub', 'n8n', '--claim', 'a=1', '--claim', 'a=2'], 2, /^--claim: expected "a" once/],
  [['create', '--sub', 'n8n', '--claim', 'groups:=[a]'], 2, /^--claim: expected JSON behind groups:=/],
  [['create', '--sub', 'n8n', '--claim', 'constructor=1'], 2, /^--claim: expected an object/],
  [['create', '--sub', 'n8n', '--name', ''], 2, /^--name: expected a line/],
  [['create', '--sub', 'n8n', '--file', ''], 2, /^--file: expected the file/],
  [['create', '--sub', 'n8n', '--file', 'nowhere/keys.json'], 1, /^there is no folder nowhere/],
  [['list'], 1, /keys\.json: there is no file /],
  [['revoke'], 2, /missing required argument 'ids'/],
  [['revoke', 'abcd'], 1, /has no key abcd; toolrack key list shows/],
  [['crate'], 2, /did you mean create/],
  [[], 2, /^expected a command; toolrack key --help/],
]

for (const [args, code, stderr] of WRONG) {
  t.test(`refused with ${code}: key ${args.join(' ').slice(0, 60)}`, async t => {
    const { folder, run } = place(t)

    const ended = await run(...args)

    t.match(ended, { code, stdout: '', stderr })
    t.equal(ended.stderr.trimEnd().split('\n').length, 1)
    t.notOk(existsSync(join(folder, 'keys.json')))
  })
}

t.test('without API_KEYS_FILE a file has to be named', async t => {
  const { run } = place(t, { isNamed: false })

  t.match(await run('list'), {
    code: 2,
    stderr: /^--file: expected the file of keys, or API_KEYS_FILE in the environment/,
  })
})
