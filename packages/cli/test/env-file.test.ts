// `.env`: what of it is set, what is refused, and what is said of it, never with a value.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { describeEnvFile, loadEnvFile } from '../src/env-file.ts'

const TEXT = `# of the shop
API_URL=https://shop.example # the test one
export API_KEY='with a # and "quotes"'
PORT=1

NOTE="two
lines"
`

t.test('it sets what the process has not, and says names alone', t => {
  const file = join(tempFolder(t, { 'my.env': TEXT }).path, 'my.env')
  const environment: NodeJS.ProcessEnv = { PORT: '8080' }

  const read = loadEnvFile(file, environment)!

  t.strictSame(environment, {
    PORT: '8080',
    API_URL: 'https://shop.example',
    API_KEY: 'with a # and "quotes"',
    NOTE: 'two\nlines',
  })
  const said = `read 3 variables of ${file}: API_KEY, API_URL, NOTE; without PORT, which the environment sets`
  t.equal(describeEnvFile(read), said)
  t.end()
})

t.test('one that changes nothing is not worth a line, unless the environment is why', t => {
  const { path } = tempFolder(t, { 'empty.env': '# nothing yet\n', 'one.env': 'A=1\n' })

  t.equal(describeEnvFile(loadEnvFile(join(path, 'empty.env'), {})!), undefined)
  t.match(describeEnvFile(loadEnvFile(join(path, 'one.env'), { A: '2' })!), /^read no variable of .*: without A, which/)
  t.end()
})

t.test('in production a file is read only if it is named', t => {
  const { path } = tempFolder(t, { '.env': 'A=1\n' })
  const cwd = process.cwd()
  t.teardown(() => process.chdir(cwd))
  process.chdir(path)
  const production: NodeJS.ProcessEnv = { NODE_ENV: 'production' }

  const ignored = loadEnvFile(undefined, production)!
  t.equal(production['A'], undefined)
  t.equal(describeEnvFile(ignored), '.env is not read with NODE_ENV=production; --env-file .env reads it')
  t.equal(describeEnvFile(loadEnvFile('.env', production)!), 'read 1 variable of .env: A')
  t.equal(production['A'], '1')
  process.chdir('..')
  t.equal(loadEnvFile(undefined, {}), undefined, 'nobody has to have one')
  t.end()
})

for (const [what, text, fault] of [
  ['a line without =', 'A=1\nhush hush\nB=2\n', ':2: expected NAME=value, or # before a comment'],
  ['YAML', 'A: hush\n', ':1: expected NAME=value, or # before a comment'],
  ['a name with a blank', 'A B=hush\n', ':1: expected NAME=value, or # before a comment'],
  ['no name', '=hush\n', ':1: expected NAME=value, or # before a comment'],
] as const) {
  t.test(`refused, without its text: ${what}`, t => {
    const file = join(tempFolder(t, { 'my.env': text }).path, 'my.env')
    const environment: NodeJS.ProcessEnv = {}

    t.throws(() => loadEnvFile(file, environment), { name: 'ConfigError', message: `${file}${fault}` })
    t.strictSame(environment, {})
    t.end()
  })
}

t.test('refused: a file that is named and missing, a folder, and bytes that are no text', t => {
  const { path } = tempFolder(t)
  writeFileSync(join(path, 'b.env'), Buffer.from([0x41, 0x3d, 0xff, 0xfe]))
  mkdirSync(join(path, 'a.env'))

  t.throws(() => loadEnvFile(join(path, 'none.env'), {}), {
    message: `${join(path, 'none.env')}: expected the path of a file that can be read (ENOENT), with one NAME=value a line`,
  })
  t.throws(() => loadEnvFile(join(path, 'a.env'), {}), {
    message: /a\.env: expected a file, with one NAME=value a line/,
  })
  t.throws(() => loadEnvFile(join(path, 'b.env'), {}), { message: /b\.env: expected a file of text in UTF-8, with/ })
  t.end()
})
