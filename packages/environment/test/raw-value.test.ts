// A value with quotes or white space around it can never match what others send: the start says so.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readOptions } from '../../../src/config/read-options.ts'
import { isSecret, SETTINGS, type SettingName } from '../../../src/config/settings.ts'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { readEnvironment } from '../src/read.ts'

const SECRET = 'a-secret-of-more-than-thirty-two-bytes'
const NAMES = Object.keys(SETTINGS) as SettingName[]
const QUOTES = 'expected the value without quotes around it, which docker run --env-file keeps'
const WHITE_SPACE = 'expected the value without white space around it, such as the end of a line'

const refusal = (environment: NodeJS.ProcessEnv) => {
  try {
    readEnvironment(environment)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

t.test('O5: a value in quotes stops the start, of every setting, and is not repeated', async t => {
  for (const name of NAMES)
    for (const [open, close] of ['""', "''", '``', '“”', '‘’'])
      t.equal(refusal({ [name]: `${open}${SECRET}${close}` }), `${name}: ${QUOTES}`)
  t.equal(refusal({ JWT_SECRET: '""' }), `JWT_SECRET: ${QUOTES}`)
  t.equal(refusal({ JWT_SECRET_FILE: '"/run/secrets/jwt"' }), `JWT_SECRET_FILE: ${QUOTES}`)
  t.equal(refusal({ LOG_LEVEL: '"info"\r' }), `LOG_LEVEL: ${QUOTES}`)
})

t.test('quotes within a value, or on one side of it, are part of it', async t => {
  for (const value of ['"Shop" of Ann', 'called "Shop"', '"', `"Shop'`])
    t.equal(readEnvironment({ SERVER_TITLE: value }).serverTitle, value)
  t.equal(readEnvironment({ JWT_SECRET: `"${SECRET}` }).jwtSecret, `"${SECRET}`)
})

t.test('O5: a secret with white space around it stops the start: others may have it with or without', async t => {
  for (const name of NAMES.filter(isSecret))
    for (const value of [`${SECRET}\n`, `${SECRET}\r`, ` ${SECRET}`, `${SECRET}\t`])
      t.equal(refusal({ [name]: value }), `${name}: ${WHITE_SPACE}`)
})

t.test('of other settings, white space around the value is cut', async t => {
  const settings = readEnvironment({ PORT: '8080\r', LOG_LEVEL: ' warn ', INSTRUCTIONS: 'Two\nlines.\n' })

  t.match(settings, { port: 8080, logLevel: 'warn', instructions: 'Two\nlines.' })
})

t.test('of blanks alone, a setting is not set, and a secret is refused', async t => {
  for (const name of NAMES) t.equal(refusal({ [name]: '\r' }), isSecret(name) ? `${name}: ${WHITE_SPACE}` : undefined)
  t.strictSame(readEnvironment({ ALLOWED_ORIGINS: '\r', REQUIRED_SCOPES: ' ' }), readEnvironment({}))
})

t.test('JSON, quotes around one value of several, and a comment stop the start: nobody sends them', async t => {
  const without = 'without quotes, brackets or a comment'
  for (const name of ['JWT_AUDIENCE', 'JWT_ISSUER', 'JWT_CLIENT_IDS'])
    for (const value of ['["https://a","https://b"]', `'a', b`, 'a, "b"', '["a"]', 'https://a/ # ours'])
      t.equal(refusal({ [name]: value }), `${name}: expected values separated by commas, ${without}`)
  for (const value of ['org="acme"', `org=acme|'other'`, 'org=["acme"]', 'org=acme # ours'])
    t.match(refusal({ JWT_REQUIRED_CLAIMS: value }), new RegExp(`^JWT_REQUIRED_CLAIMS: .*, ${without}$`))
  const fit = ['http://[::1]:3000/mcp', 'api://app#1', `it's`]
  t.match(readEnvironment({ JWT_SECRET: SECRET, JWT_AUDIENCE: fit.join() }), { jwtAudience: fit })
})

t.test('O5: a secret in a file is read with the same care', async t => {
  const { path } = tempFolder(t)
  const file = join(path, 'secret')
  const refusalOf = (content: string) => {
    writeFileSync(file, content)
    return refusal({ JWT_SECRET_FILE: file })
  }

  t.equal(refusalOf(`${SECRET}\r\n`), undefined)
  t.equal(refusalOf(`"${SECRET}"\n`), `JWT_SECRET_FILE: ${QUOTES}`)
  t.equal(refusalOf(`${SECRET} \n`), `JWT_SECRET_FILE: ${WHITE_SPACE}`)
})

t.test('a program says what it means', async t => {
  t.equal(readOptions({ jwt: { secret: `"${SECRET}"` } }).jwtSecret, `"${SECRET}"`)
})
