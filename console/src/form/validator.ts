// Validates forms with @cfworker/json-schema, which needs no eval: the page forbids it.
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import {
  type ErrorSchema,
  type RJSFSchema,
  type RJSFValidationError,
  toErrorSchema,
  type ValidationData,
  type ValidatorType,
} from '@rjsf/utils'
import { boundPatterns } from './patterns.ts'
import { dropUntouched } from './untouched.ts'

const MAX_COMPILED = 200

/** Its messages name schemas by their place; these steps only lead to the step with the reason. */
const STEPS: readonly string[] = ['properties', 'items', 'prefixItems', '$ref', 'allOf', 'additionalProperties']

function toError({ instanceLocation, keyword, keywordLocation, error }: OutputUnit): RJSFValidationError {
  const path = instanceLocation.split('/').slice(1).map(decodePointer)
  const missing = keyword === 'required' ? /required property "(.*?)"\.?$/.exec(error)?.[1] : undefined
  const place = missing === undefined ? path : [...path, missing]
  const message = missing === undefined ? toWords(keyword, error) : 'This is required.'
  return {
    name: keyword,
    message,
    property: place.map(part => `.${part}`).join(''),
    stack: `${place.join('.')} ${message}`,
    schemaPath: keywordLocation,
  }
}

const decodePointer = (part: string) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')

/** Shorter words than the library's. */
function toWords(keyword: string, error: string): string {
  if (keyword === 'type')
    return error.replace(/^Instance type "(.*?)" is invalid\. Expected "(.*?)"\.$/, 'This is $1; it must be $2.')
  if (keyword === 'enum') return 'This must be one of the listed values.'
  if (keyword === 'oneOf' || keyword === 'anyOf') return 'This fits none of the forms.'
  return error
}

/** The length of the longest text or key. */
function measureLongest(data: unknown): number {
  if (typeof data === 'string') return data.length
  if (typeof data !== 'object' || data === null) return 0
  return Object.entries(data).reduce((most, [key, value]) => Math.max(most, key.length, measureLongest(value)), 0)
}

/** To 100, 1,000 and so on: a schema is compiled once for each. */
const roundUp = (length: number): number => Math.max(100, 10 ** Math.ceil(Math.log10(Math.max(1, length))))

export function createValidator(): ValidatorType {
  const compiled = new Map<string, Validator>()

  /** @param length of the longest text that is checked */
  const compile = (schema: RJSFSchema, length: number, root?: RJSFSchema): Validator => {
    const definitions = root && { $defs: root['$defs'], definitions: root['definitions'] }
    const whole = { ...definitions, ...schema }
    const key = `${length} ${JSON.stringify(whole)}`
    const known = compiled.get(key)
    if (known !== undefined) return known
    if (compiled.size >= MAX_COMPILED) compiled.clear()
    const made = new Validator(boundPatterns(whole, { text: length, key: length }) as Schema, '2020-12', false)
    compiled.set(key, made)
    return made
  }

  const check = (schema: RJSFSchema, data: unknown, root?: RJSFSchema) => {
    // `undefined` stands for what a form left empty.
    const sent: unknown = JSON.parse(JSON.stringify(data ?? null))
    return compile(schema, roundUp(measureLongest(sent)), root).validate(sent)
  }

  const findErrors = (schema: RJSFSchema, data: unknown): RJSFValidationError[] => {
    try {
      const { errors } = check(schema, data)
      const reasons = errors.filter(({ keyword }) => !STEPS.includes(keyword))
      return reasons.map(toError)
    } catch (error) {
      return [{ stack: `The schema cannot be checked here: ${(error as Error).message}` }]
    }
  }

  const isValid: ValidatorType['isValid'] = (schema, data, root) => {
    try {
      return check(schema, data, root).valid
    } catch {
      // A schema that cannot be read fits nothing.
      return false
    }
  }

  return {
    validateFormData(data, schema): ValidationData<unknown> {
      // What is not sent needs not be valid.
      const errors = findErrors(schema, dropUntouched(schema, data, isValid))
      return { errors, errorSchema: toErrorSchema(errors) as ErrorSchema<unknown> }
    },
    isValid,
    rawValidation: (schema, data) => ({ errors: findErrors(schema, data) as never[] }),
    reset: () => compiled.clear(),
  }
}

export const validator = createValidator()
