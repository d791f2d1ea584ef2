// Ajv with its errors and slow parts replaced. Each schema has its own engine, because Ajv stores
// patterns and identifiers by name.
import { createRequire } from 'node:module'
import {
  _,
  Ajv2020,
  type Code,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  type Options,
  str,
} from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Dialect } from './dialect.ts'
import { ENTRY, EXACT, type Lowered } from './lower.ts'
import { createMembership } from './membership.ts'
import { isMultiple } from './multiple-of.ts'
import type { Patterns } from './patterns.ts'
import { LOWERED_ID, Unevaluated } from './unevaluated.ts'
import { findDuplicate } from './unique-items.ts'

export interface SchemaCheck {
  (value: unknown): boolean
  readonly errors?: ErrorObject[] | null
  /** The last check reached a limit, so its result does not count. */
  readonly isStopped?: boolean
}

const AJV_OPTIONS = {
  strict: false,
  strictNumbers: true,
  ownProperties: true,
  validateFormats: true,
  inlineRefs: true,
  logger: false,
  // `metaCheck` validates schemas; the build precompiles it.
  meta: false,
  validateSchema: false,
} satisfies Options

/** How often a check may enter definitions that refer to others: a minimum, and more per value. */
const MIN_ENTRIES = 50_000
const ENTRIES_PER_VALUE = 10

/** @throws Error of Ajv if it cannot compile the schema */
export function compileLowered(
  dialect: Dialect,
  lowered: Lowered,
  patterns: Patterns,
  allErrors: boolean,
): SchemaCheck {
  const entries = { left: 0 }
  const ajv = createEngine(dialect, patterns, allErrors)
  ajv.addKeyword(createEntryKeyword(entries))
  const unevaluated = lowered.branches && new Unevaluated(ajv, lowered.schema, lowered.branches, patterns)
  if (unevaluated !== undefined) addUnevaluated(ajv, unevaluated)
  const validate = ajv.compile({ $id: LOWERED_ID, ...lowered.schema })
  if (!lowered.isNested && unevaluated === undefined && !patterns.isCounted) return validate

  const check = (value: unknown) => {
    patterns.renew()
    unevaluated?.reset()
    if (lowered.isNested) entries.left = MIN_ENTRIES + ENTRIES_PER_VALUE * countValues(value)
    const isValid = validate(value)
    const isStopped = entries.left < 0 || patterns.isExhausted
    Object.assign(check, { errors: validate.errors, isStopped })
    return isValid && !isStopped
  }
  return check
}

/** Counts all values at every depth, including `value` itself. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const member of Object.values(value)) count += countValues(member)
  return count
}

function createEngine(dialect: Dialect, patterns: Patterns, allErrors: boolean): Ajv2020 {
  // Few tools declare draft-07, so load its engine on first use.
  const Ajv = dialect === '2020-12' ? Ajv2020 : (createRequire(import.meta.url)('ajv') as typeof Ajv2020)
  const ajv = new Ajv({ ...AJV_OPTIONS, allErrors, code: { regExp: patterns.engine } })
  // Done by `Unevaluated`. Otherwise Ajv ends a union at the first valid branch.
  ajv.opts.unevaluated = false
  formats.default(ajv)
  ajv.addFormat('url', isUrl)
  for (const keyword of AJV_KEYWORDS) ajv.removeKeyword(keyword.keyword as string).addKeyword(keyword)
  return ajv
}

// The pattern of ajv-formats takes quadratic time: minutes for an argument of a megabyte.
const isUrl = (text: string) => /^(?:https?|ftp):\/\//i.test(text) && URL.canParse(text)

const AJV_KEYWORDS: readonly CodeKeywordDefinition[] = [
  {
    // JSON.parse rounds 2^53+1 and keeps -0; an integer must be the number that the client sent.
    keyword: EXACT,
    type: 'number',
    error: { message: 'must be an integer between -(2^53-1) and 2^53-1' },
    code: cxt => cxt.pass(_`Number.isSafeInteger(${cxt.data}) && !Object.is(${cxt.data}, -0)`),
  },
  {
    keyword: 'const',
    error: { message: 'must be equal to constant', params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}` },
    code: cxt => cxt.pass(isMember(cxt, [cxt.schema])),
  },
  {
    keyword: 'enum',
    schemaType: 'array',
    error: {
      message: 'must be equal to one of the allowed values',
      params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
    },
    code: cxt => cxt.pass(isMember(cxt, cxt.schema)),
  },
  {
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
    code(cxt) {
      const check = cxt.gen.scopeValue('func', { key: isMultiple, ref: isMultiple })
      cxt.pass(_`${check}(${cxt.data}, ${cxt.schemaCode})`)
    },
  },
  {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: {
      message: ({ params: { pair } }) =>
        str`must NOT have duplicate items (items ## ${_`${pair}[0]`} and ${_`${pair}[1]`} are identical)`,
    },
    code(cxt) {
      if (cxt.schema !== true) return
      const find = cxt.gen.scopeValue('func', { key: findDuplicate, ref: findDuplicate })
      const pair = cxt.gen.const('pair', _`${find}(${cxt.data})`)
      cxt.setParams({ pair })
      cxt.pass(_`${pair} === undefined`)
    },
  },
]

function isMember({ gen, data }: KeywordCxt, values: readonly unknown[]): Code {
  const check = createMembership(values)
  return _`${gen.scopeValue('func', { key: check, ref: check })}(${data})`
}

function createEntryKeyword(entries: { left: number }): CodeKeywordDefinition {
  const enter = () => --entries.left >= 0
  return {
    keyword: ENTRY,
    code: cxt => cxt.pass(_`${cxt.gen.scopeValue('func', { key: enter, ref: enter })}()`),
  }
}

function addUnevaluated(ajv: Ajv2020, unevaluated: Unevaluated): void {
  const types = { unevaluatedProperties: 'object', unevaluatedItems: 'array' } as const
  for (const [keyword, type] of Object.entries(types)) {
    ajv.removeKeyword(keyword).addKeyword({
      keyword,
      type,
      schemaType: ['boolean', 'object'],
      compile: (allowed, parent) => unevaluated.compile(keyword, allowed, parent),
    })
  }
}
