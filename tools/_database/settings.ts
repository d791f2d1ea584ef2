// The operator's settings: which PostgreSQL, which login reads, and which schemas are offered as
// databases.
import type { ToolDefinition } from 'toolrack'

/** What the sample database is in. */
const EMBEDDED = '@electric-sql/pglite'
/** As package.json has it. */
const EMBEDDED_VERSION = '0.5'
const SAMPLES = ['users', 'products', 'orders'] as const
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/
const MAX_SCHEMAS = 32

type Names = readonly [string, ...string[]]

export interface Settings {
  /** Undefined: the embedded database with its samples. */
  readonly url: string | undefined
  /** URL of a login that can only read; undefined: one is found or created. */
  readonly readUrl: string | undefined
  /** The first one is the default. */
  readonly schemas: Names
  /** What is missing while the tools are without a database. */
  readonly requires: NonNullable<ToolDefinition['requires']>
}

/** Every variable that this file reads. */
export const SETTINGS = ['DATABASE_URL', 'DATABASE_READ_URL', 'DATABASE_SCHEMAS', 'SAMPLE_DATABASE']

/** @throws Error that names the malformed variable */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const url = readUrl(env, 'DATABASE_URL')
  if (url === undefined) {
    const alone = ['DATABASE_READ_URL', 'DATABASE_SCHEMAS'].find(name => (env[name] ?? '').trim() !== '')
    if (alone !== undefined) throw new Error(`${alone} needs DATABASE_URL beside it.`)
    const sampleDatabase = { what: `DATABASE_URL or npm install ${EMBEDDED}@${EMBEDDED_VERSION}`, isMet: isInstalled() }
    return { url, readUrl: undefined, schemas: SAMPLES, requires: [hasSamples(env) ? sampleDatabase : 'DATABASE_URL'] }
  }
  return Object.freeze({ url, readUrl: readUrl(env, 'DATABASE_READ_URL'), schemas: readSchemas(env), requires: [] })
}

function hasSamples({ SAMPLE_DATABASE: value = '' }: NodeJS.ProcessEnv): boolean {
  if (value !== '' && value !== 'true' && value !== 'false') throw new Error('SAMPLE_DATABASE is not true or false.')
  return value !== 'false'
}

/** The package with the tools leaves it out, since it is larger than all the others together. */
function isInstalled(): boolean {
  try {
    import.meta.resolve(EMBEDDED)
    return true
  } catch {
    return false
  }
}

function readUrl(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name]?.trim()
  if (value === undefined || value === '') return undefined
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) return value
  throw new Error(`${name} is not a URL of PostgreSQL, such as postgres://user:password@host:5432/name.`)
}

function readSchemas({ DATABASE_SCHEMAS: value }: NodeJS.ProcessEnv): Names {
  if (value === undefined || value.trim() === '') return SAMPLES
  const [first = '', ...others] = value.split(',').map(name => name.trim())
  const names: Names = [first, ...others]
  if (names.length <= MAX_SCHEMAS && new Set(names).size === names.length && names.every(isSchemaName)) return names
  throw new Error(
    `DATABASE_SCHEMAS is not a list of at most ${MAX_SCHEMAS} different names of schemas, such as users,products.`,
  )
}

const isSchemaName = (name: string) => NAME.test(name) && !/^(pg_|information_schema$)/i.test(name)

export const settings = readSettings(process.env)
