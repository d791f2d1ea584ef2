// A form made from a JSON Schema: for the arguments of tools, and for questions.
import Form, { type IChangeEvent } from '@rjsf/core'
import { getDefaultFormState, type RJSFSchema, type UiSchema } from '@rjsf/utils'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { JsonObject } from '../client/json-rpc.ts'
import { boundPatterns } from './patterns.ts'
import { TEMPLATES } from './templates.tsx'
import { dropUntouched } from './untouched.ts'
import { validator } from './validator.ts'

const UI: UiSchema = { 'ui:submitButtonOptions': { norender: true } }
const DEFAULTS = { emptyObjectFields: 'skipEmptyDefaults', constAsDefaults: 'always' } as const

interface Props {
  readonly schema: unknown
  readonly value: unknown
  /** Keeps the ids of two forms apart. */
  readonly idPrefix: string
  readonly children: ComponentChildren
  onChange(value: unknown): void
  onSubmit(value: JsonObject): void
  /** The form has errors, which it shows at its fields. */
  onInvalid?(): void
}

/** What a form starts with: the schema's defaults. */
export const createInitialData = (schema: unknown): unknown =>
  getDefaultFormState(validator, prepareSchema(schema), {}, prepareSchema(schema), false, DEFAULTS)

/** What a form's data stand for: without what the user left empty. */
export const toArguments = (schema: unknown, data: unknown): JsonObject =>
  JSON.parse(JSON.stringify(dropUntouched(schema, data ?? {}, validator.isValid))) as JsonObject

/** The form itself matches keys only, of any length. The validator bounds patterns of texts. */
const LENGTHS = { text: 0, key: 10_000 }

/** The page has its own heading and description. */
function prepareSchema(schema: unknown): RJSFSchema {
  const { title, description, $schema, ...rest } = boundPatterns(schema, LENGTHS) as RJSFSchema
  return rest
}

export function SchemaForm({ schema, value, idPrefix, children, onChange, onSubmit, onInvalid }: Props) {
  const shown = useMemo(() => prepareSchema(schema), [schema])
  return (
    <Form
      className="schema-form"
      schema={shown}
      uiSchema={UI}
      formData={value}
      validator={validator}
      templates={TEMPLATES}
      idPrefix={idPrefix}
      showErrorList={false}
      noHtml5Validate
      focusOnFirstError
      useFallbackUiForUnsupportedType
      experimental_defaultFormStateBehavior={DEFAULTS}
      // Without a field, the form has filled in defaults: they would replace what the user types as JSON.
      onChange={({ formData }: IChangeEvent, field?: string) => field !== undefined && onChange(formData)}
      onSubmit={({ formData }: IChangeEvent) => onSubmit(toArguments(schema, formData))}
      onError={() => onInvalid?.()}
    >
      {children as never}
    </Form>
  )
}
