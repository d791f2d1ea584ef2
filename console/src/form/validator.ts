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

/** Errors of these keywords only say that an error is below them; the one below has the reason. */
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

/** Rounds up to 100, 1,000 and so on, so that few lengths of one schema are compiled. */
const roundUp = (length: number): number => 10 ** Math.ceil(Math.log10(Math.max(100, length)))

/** Compiles a schema once for each rounded length: a form checks the same schemas many times. */
class CompiledSchemas {
  readonly #known = new Map<string, Validator>()

  /** @param root whose definitions the schema may refer to */
  check(schema: RJSFSchema, data: unknown, root?: RJSFSchema) {
    // `undefined` stands for what a form left empty.
    const sent: unknown = JSON.parse(JSON.stringify(data ?? null))
    const definitions = root && { $defs: root['$defs'], definitions: root['definitions'] }
    return this.#compile({ ...definitions, ...schema }, roundUp(measureLongest(sent))).validate(sent)
  }

  clear(): void {
    this.#known.clear()
  }

  /** @param length of the longest text that is checked */
  #compile(schema: RJSFSchema, length: number): Validator {
    const key = `${length} ${JSON.stringify(schema)}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.#known.size >= MAX_COMPILED) this.#known.clear()
    const made = new Validator(boundPatterns(schema, { text: length, key: length }) as Schema, '2020-12', false)
    this.#known.set(key, made)
    return made
  }
}

export function createValidator(): ValidatorType {
  const compiled = new CompiledSchemas()

  const findErrors = (schema: RJSFSchema, data: unknown): RJSFValidationError[] => {
    try {
      const { errors } = compiled.check(schema, data)
      return errors.filter(({ keyword }) => !STEPS.includes(keyword)).map(toError)
    } catch (error) {
      return [{ stack: `The schema cannot be checked here: ${(error as Error).message}` }]
    }
  }

  const isValid: ValidatorType['isValid'] = (schema, data, root) => {
    try {
      return compiled.check(schema, data, root).valid
    } catch {
      // A schema that cannot be read fits nothing.
      return false
    }
  }

  return {
    validateFormData(data, schema): ValidationData<unknown> {
      // What is not sent does not have to be valid.
      const errors = findErrors(schema, dropUntouched(schema, data, isValid))
      return { errors, errorSchema: toErrorSchema(errors) as ErrorSchema<unknown> }
    },
    isValid,
    rawValidation: (schema, data) => ({ errors: findErrors(schema, data) as never[] }),
    reset: () => compiled.clear(),
  }
}

export const validator = createValidator()
