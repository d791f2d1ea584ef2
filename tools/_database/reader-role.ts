// The login that reads and cannot write: DATABASE_READ_URL, or DATABASE_URL if that cannot write,
// or one created here. It has to be a login: a statement can reset a role that the session has set.
import { createHmac, randomBytes } from 'node:crypto'
import { ToolError } from 'toolrack'
import { type Call, type Lane, quoted, SqlFault } from './database.ts'
import { settings } from './settings.ts'

const NAME = 'toolrack_reader'
const REFRESH_MS = 60_000
const LOCK = 7_283_114

type Connect = <T>(url: string, work: (lane: Lane) => Promise<T>) => Promise<T>

export interface Reader {
  /** Resolves once the login exists. @throws ToolError if there is none and none can be created */
  ready(call: Call): Promise<unknown>
  url(call: Call): Promise<string>
  /**
   * Reports if the login got what it lacked: its password, or, at most once a minute, the right to
   * a new table.
   */
  mayBeMendedBy(error: unknown, call: Call): Promise<boolean>
}

export function readerOf({ url, readUrl, connect }: { url: string; readUrl?: string; connect: Connect }): Reader {
  let found: Promise<string> | undefined
  let grantedMs = 0
  const find = async (call: Call) => {
    const target = readUrl ?? url
    const faults = await connect(target, rightsToWrite)
    if (faults.length === 0) return target
    if (readUrl !== undefined) throw new ToolError(`The role of DATABASE_READ_URL ${faults[0]}. ${ADVICE}`)
    await connect(url, make(passwordOf(url)))
    grantedMs = Date.now()
    call.log?.notice(`Made the role ${NAME}, which can only read`, { schemas: [...settings.schemas, 'public'] })
    const made = withLogin(url, passwordOf(url))
    const left = await connect(made, rightsToWrite)
    if (left.length > 0) throw new ToolError(`PUBLIC, and so the role ${NAME}, ${left[0]}. ${ADVICE}`)
    return made
  }
  const urlOf = (call: Call) => {
    found ??= find(call).catch(error => {
      found = undefined
      throw error
    })
    return found
  }
  return {
    ready: urlOf,
    url: urlOf,
    async mayBeMendedBy(error, call) {
      if (!(error instanceof SqlFault) || grantedMs === 0 || call.signal.aborted) return false
      // The password differs if a second server, with another login, has created the role anew.
      const isDue = error.report.code === '42501' && Date.now() - grantedMs >= REFRESH_MS
      if (!isDue && error.report.code !== '28P01') return false
      grantedMs = Date.now()
      await connect(url, make(passwordOf(url)))
      return true
    },
  }
}

const ADVICE =
  'Nothing is read with it. Tell the operator to set DATABASE_READ_URL to a login that can only read: CREATE ROLE reader ' +
  "LOGIN PASSWORD '…'; GRANT USAGE ON SCHEMA … TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA … TO reader."

// Counts every role that the login can become, since a statement can use the rights of each.
const RIGHTS = `
WITH mine AS (SELECT * FROM pg_roles WHERE pg_has_role(current_user, oid, 'MEMBER')),
spaces AS (SELECT * FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'),
things AS (SELECT c.* FROM pg_class c JOIN spaces s ON s.oid = c.relnamespace)
SELECT 'is a superuser' FROM mine WHERE rolsuper
UNION ALL SELECT 'may make roles, databases or replicas, or see all rows' FROM mine
  WHERE rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
UNION ALL SELECT 'is a member of ' || rolname FROM mine
  WHERE rolname ~ '^pg_' AND rolname NOT IN ('pg_read_all_data', 'pg_database_owner')
UNION ALL SELECT 'may create in the database' FROM mine WHERE has_database_privilege(oid, current_database(), 'CREATE')
UNION ALL SELECT 'may create in the schema ' || s.nspname FROM mine m, spaces s WHERE has_schema_privilege(m.oid, s.oid, 'CREATE')
UNION ALL SELECT 'may write to ' || c.relname FROM mine m, things c WHERE relkind IN ('r', 'p', 'v', 'f') AND
  (has_table_privilege(m.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(m.oid, c.oid, 'INSERT, UPDATE'))
UNION ALL SELECT 'may change the sequence ' || c.relname FROM mine m, things c WHERE
  CASE WHEN relkind = 'S' THEN has_sequence_privilege(m.oid, c.oid, 'USAGE, UPDATE') END
UNION ALL SELECT 'may call functions of the extension ' || e.extname || ', which reach out of the database'
  FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
  JOIN pg_proc p ON p.oid = d.objid, mine m
  WHERE e.extname IN ('dblink', 'http', 'pg_net') AND has_schema_privilege(m.oid, p.pronamespace, 'USAGE')
    AND has_function_privilege(m.oid, p.oid, 'EXECUTE')
LIMIT 5`

async function rightsToWrite(lane: Lane): Promise<string[]> {
  const { rows } = await lane.run(RIGHTS)
  return rows.map(([why]) => why ?? '')
}

// Replicas that start together take turns. A role that another replica has created is brought to
// the same state.
const make = (password: string) => async (lane: Lane) => {
  const { rows } = await lane.run(
    'SELECT (rolsuper OR rolcreaterole)::text, current_database()::text FROM pg_roles WHERE rolname = current_user',
  )
  const [mayMake, database] = rows[0] ?? []
  if (mayMake !== 'true')
    throw new ToolError(`The role of DATABASE_URL can write and cannot make one that only reads. ${ADVICE}`)
  await lane.run('BEGIN')
  await lane.run(`SELECT pg_advisory_xact_lock(${LOCK})::text`)
  const known = await lane.run('SELECT 1::text FROM pg_roles WHERE rolname = $1', [NAME])
  const verb = known.rows.length > 0 ? 'ALTER' : 'CREATE'
  await lane.run(
    `${verb} ROLE ${NAME} LOGIN NOCREATEDB NOCREATEROLE NOINHERIT CONNECTION LIMIT 100 PASSWORD '${password}'`,
  )
  await lane.run(`ALTER ROLE ${NAME} SET default_transaction_read_only = on`)
  await lane.run(`GRANT CONNECT ON DATABASE ${quoted(database ?? '')} TO ${NAME}`)
  const wanted = `{${[...settings.schemas, 'public'].join()}}`
  const present = await lane.run('SELECT nspname::text FROM pg_namespace WHERE nspname = ANY($1::text[])', [wanted])
  for (const [schema] of present.rows) {
    await lane.run(`GRANT USAGE ON SCHEMA ${quoted(schema ?? '')} TO ${NAME}`)
    await lane.run(`GRANT SELECT ON ALL TABLES IN SCHEMA ${quoted(schema ?? '')} TO ${NAME}`)
  }
  await lane.run('COMMIT')
}

const unguessable = randomBytes(32)

/**
 * The same in each replica, and derived from the password of DATABASE_URL; without a password, it
 * is random and valid for this process.
 */
function passwordOf(url: string): string {
  const { password, searchParams } = new URL(url)
  const secret = searchParams.get('password') || password || process.env['PGPASSWORD'] || unguessable
  return createHmac('sha256', secret).update(NAME).digest('hex')
}

// As parameters, which also work in a URL without a host; the driver prefers them to the authority.
function withLogin(url: string, password: string): string {
  const made = new URL(url)
  made.username = ''
  made.password = ''
  made.searchParams.set('user', NAME)
  made.searchParams.set('password', password)
  return made.href
}
