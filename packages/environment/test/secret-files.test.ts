// Secrets that files have: what is taken, and what is refused without telling any of it.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findSecretValues } from '../../../src/config/environment.ts'
import { MAX_SECRET_FILE_BYTES } from '../../../src/config/secret-files.ts'
import { collectSecrets } from '../../../src/config/settings.ts'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { readEnvironment } from '../src/read.ts'
import { SECRET_FILES } from '../src/secret-files.ts'

const SECRET = 'hush-hush-hush-hush-hush-hush-hush-1'

t.test('each secret setting has a file, and no other', t => {
  t.ok(SECRET_FILES.includes('JWT_SECRET_FILE'))
  t.ok(SECRET_FILES.includes('REDIS_URL_FILE'))
  t.notOk(SECRET_FILES.includes('PORT_FILE'))
  t.end()
})

for (const [what, text, value] of [
  ['a line', `${SECRET}\n`, SECRET],
  ['a line of Windows', `${SECRET}\r\n`, SECRET],
  ['no newline', SECRET, SECRET],
  ['lines', `${SECRET}\n${SECRET}\n`, `${SECRET}\n${SECRET}`],
] as const) {
  t.test(`a file: ${what}`, t => {
    const { path } = tempFolder(t, { secret: text })

    const settings = readEnvironment({ JWT_SECRET_FILE: join(path, 'secret'), JWT_SECRET: '' })

    t.equal(settings.jwtSecret, value)
    t.ok(collectSecrets(settings).includes(value), 'it is masked')
    t.end()
  })
}

for (const [what, make, message] of [
  ['is missing', () => {}, /^JWT_SECRET_FILE: expected the path of a file that can be read \(ENOENT\)$/],
  [
    'is empty',
    (file: string) => writeFileSync(file, ''),
    /^JWT_SECRET_FILE: expected a file with a secret, not an empty/,
  ],
  [
    'has a newline alone',
    (file: string) => writeFileSync(file, '\n'),
    /^JWT_SECRET_FILE: expected a file with a secret/,
  ],
  ['is a folder', (file: string) => mkdirSync(file), /^JWT_SECRET_FILE: expected a file$/],
  ['is a FIFO', (file: string) => spawnSync('mkfifo', [file]), /^JWT_SECRET_FILE: expected a file$/],
  ['is too large', (file: string) => writeFileSync(file, 'x'.repeat(MAX_SECRET_FILE_BYTES + 1)), /at most 64 KiB$/],
  ['is not UTF-8', (file: string) => writeFileSync(file, Buffer.from([0xff, 0xfe])), /text in UTF-8$/],
  ['has NUL', (file: string) => writeFileSync(file, `${SECRET}\0`), /without NUL$/],
  ['is too short', (file: string) => writeFileSync(file, 'hush'), /^JWT_SECRET_FILE: expected at least 32 bytes$/],
] as const) {
  t.test(`a file that ${what} is refused by its variable`, t => {
    const { path } = tempFolder(t)
    const file = join(path, 'secret')
    make(file)

    t.throws(() => readEnvironment({ JWT_SECRET_FILE: file }), { name: 'ConfigError', message })
    t.throws(() => readEnvironment({ JWT_SECRET_FILE: file }), { message: /^(?!.*(hush|secret\b.*tools))/ })
    t.end()
  })
}

t.test('the largest file is taken', t => {
  const { path } = tempFolder(t, { secret: 'x'.repeat(MAX_SECRET_FILE_BYTES) })

  t.equal(readEnvironment({ JWT_SECRET_FILE: join(path, 'secret') }).jwtSecret?.length, MAX_SECRET_FILE_BYTES)
  t.end()
})

t.test('a file that may not be read is refused', { skip: process.getuid?.() === 0 && 'root reads all' }, t => {
  const { path } = tempFolder(t, { secret: SECRET })
  chmodSync(join(path, 'secret'), 0)

  t.throws(() => readEnvironment({ JWT_SECRET_FILE: join(path, 'secret') }), { message: /\(EACCES\)$/ })
  t.end()
})

t.test('both the variable and its file are refused', t => {
  const { path } = tempFolder(t, { secret: SECRET })

  t.throws(() => readEnvironment({ JWT_SECRET_FILE: join(path, 'secret'), JWT_SECRET: SECRET }), {
    name: 'ConfigError',
    message: 'JWT_SECRET_FILE: expected either it or JWT_SECRET, not both',
  })
  t.end()
})

t.test('the secret itself in place of a path is not told', t => {
  t.throws(() => readEnvironment({ JWT_SECRET_FILE: SECRET }), { message: /^(?!.*hush).*\(ENOENT\)$/ })
  t.end()
})

t.test('a slip in the name of a file is found', t => {
  t.throws(() => readEnvironment({ JWT_SECRT_FILE: '/x' }), {
    message: 'JWT_SECRT_FILE is not a setting; did you mean JWT_SECRET_FILE?',
  })
  t.end()
})

t.test('secrets of tools that files have are masked, and paths are not', t => {
  const { path } = tempFolder(t, { token: `${SECRET}\n` })
  const environment = { GITHUB_TOKEN_FILE: join(path, 'token'), OTHER_TOKEN_FILE: join(path, 'none'), MY_SECRET: 'x' }

  t.strictSame(
    findSecretValues(() => false, environment),
    [SECRET, undefined, 'x'],
  )
  t.end()
})
