// Reads the system catalog: all tables for the schema resource, one table for a new record.
import { ToolError } from 'toolrack'
import type { Lane } from './database.ts'

export const MAX_TABLES = 200
const MAX_NAMES = 50

export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly isInsertable: boolean
  /** True if its type is a domain that is NOT NULL or has a CHECK, or is based on such a domain. */
  readonly mayRefuseNull: boolean
  /** Values of an enum; otherwise null. */
  readonly values: readonly string[] | null
}

export interface Table {
  readonly schema: string
  readonly name: string
  readonly columns: readonly TableColumn[]
}

const ENUM_VALUES = `(SELECT json_agg(enumlabel ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = a.atttypid)`

/** Properties of a column's domain, including the domains that it is based on; else nulls. */
const DOMAIN = `LATERAL (WITH RECURSIVE layer AS (
    SELECT oid, typbasetype, typtypmod, typnotnull, 1 AS depth FROM pg_type WHERE oid = a.atttypid AND typtype = 'd'
    UNION ALL SELECT b.oid, b.typbasetype, b.typtypmod, b.typnotnull, depth + 1
    FROM layer JOIN pg_type b ON b.oid = layer.typbasetype WHERE b.typtype = 'd')
  SELECT coalesce(bool_or(typnotnull), false) AS is_not_null,
    (array_agg(format_type(typbasetype, typtypmod) ORDER BY depth DESC))[1] AS base,
    (SELECT json_agg(pg_get_constraintdef(k.oid) ORDER BY depth DESC, k.conname)
      FROM pg_constraint k JOIN layer l ON k.contypid = l.oid WHERE k.contype = 'c') AS checks
  FROM layer) AS domain`

const COLUMNS = `(SELECT json_agg(json_strip_nulls(json_build_object(
  'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', NOT (a.attnotnull OR domain.is_not_null),
  'base', domain.base, 'checks', domain.checks,
  'default', pg_get_expr(d.adbin, d.adrelid), 'identity', CASE WHEN a.attidentity <> '' THEN true END,
  'values', ${ENUM_VALUES}, 'comment', left(col_description(c.oid, a.attnum), 500))) ORDER BY a.attnum)
  FROM pg_attribute a CROSS JOIN ${DOMAIN} LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(c.oid, a.attnum, 'SELECT'))`

const DESCRIBED = `SELECT json_strip_nulls(json_build_object(
  'schema', n.nspname, 'name', c.relname,
  'kind', CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END,
  'comment', left(obj_description(c.oid, 'pg_class'), 500), 'columns', ${COLUMNS},
  'constraints', (SELECT json_agg(pg_get_constraintdef(k.oid) ORDER BY k.contype DESC, k.conname) FROM pg_constraint k
    WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f', 'c'))))::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY(current_schemas(false)) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND has_any_column_privilege(c.oid, 'SELECT')
ORDER BY array_position(current_schemas(false), n.nspname), c.relname LIMIT ${MAX_TABLES}`

/** The tables that unqualified names resolve to, as JSON; at most `MAX_TABLES`. */
export async function describeTables(lane: Lane): Promise<unknown[]> {
  const { rows } = await lane.run(DESCRIBED)
  return rows.map(([table]) => JSON.parse(table ?? '{}'))
}

const IN_SCHEMAS = `FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ANY($1::text[])
  AND has_schema_privilege(n.oid, 'USAGE')`
const NAMED = `SELECT format('%I.%I', n.nspname, c.relname) ${IN_SCHEMAS}`
const READABLE = `${NAMED} AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND has_any_column_privilege(c.oid, 'SELECT') ORDER BY 1 LIMIT ${MAX_NAMES + 1}`
const WRITABLE = `${NAMED} AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND has_any_column_privilege(c.oid, 'INSERT') ORDER BY 1 LIMIT ${MAX_NAMES + 1}`

/** `schema.table` of each table that may be read. */
export const readableNames = (lane: Lane, schemas: readonly string[]): Promise<string> =>
  namesBy(READABLE, lane, schemas)

async function namesBy(sql: string, lane: Lane, schemas: readonly string[]): Promise<string> {
  const { rows } = await lane.run(sql, [listOf(schemas)])
  if (rows.length === 0) return 'none'
  return rows.slice(0, MAX_NAMES).join(', ') + (rows.length > MAX_NAMES ? ' and more' : '')
}

const INSERTABLE = `SELECT n.nspname::text, c.relname::text, (SELECT json_agg(json_build_object(
  'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'values', ${ENUM_VALUES},
  'mayRefuseNull', domain.is_not_null OR domain.checks IS NOT NULL,
  'isRequired', (a.attnotnull OR domain.is_not_null) AND NOT a.atthasdef AND a.attidentity = '' AND t.typdefault IS NULL,
  'isInsertable', a.attgenerated = '' AND a.attidentity <> 'a' AND has_column_privilege(c.oid, a.attnum, 'INSERT'))
  ORDER BY a.attnum) FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid CROSS JOIN ${DOMAIN}
  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)::text, format('%I.%I', n.nspname, c.relname)
${IN_SCHEMAS} AND c.relkind IN ('r', 'p')
  AND $2::text IN (c.relname::text, quote_ident(c.relname), concat(n.nspname, '.', c.relname), format('%I.%I', n.nspname, c.relname))
ORDER BY 4 LIMIT 20`

/** @throws ToolError that lists the tables, if the name matches none or several */
export async function findTable(lane: Lane, name: string, schemas: readonly string[]): Promise<Table> {
  const { rows } = await lane.run(INSERTABLE, [listOf(schemas), name])
  const [found, other] = rows
  if (found !== undefined && other === undefined) return tableOf(found)
  if (found !== undefined) {
    const choices = rows.map(([, , , each]) => each).join(', ')
    throw new ToolError(`There are several tables ${name}. Pass one of: ${choices}.`)
  }
  throw new ToolError(`There is no table ${name} to insert into. Tables: ${await namesBy(WRITABLE, lane, schemas)}.`)
}

function tableOf([schema, name, columns]: readonly (string | null)[]): Table {
  return { schema: schema ?? '', name: name ?? '', columns: JSON.parse(columns ?? '[]') }
}

const listOf = (names: readonly string[]): string => `{${names.join()}}`
