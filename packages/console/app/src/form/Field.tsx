// The field for one place of a value: reads its schema, and shows the field of its kind.
import type { FunctionComponent } from 'preact'
import { memo } from 'preact/compat'
import { isObject } from '../client/json-rpc.ts'
import type { KindProps } from './Frame.tsx'
import { BooleanField } from './fields/BooleanField.tsx'
import { ChoiceField } from './fields/ChoiceField.tsx'
import { ChoicesField } from './fields/ChoicesField.tsx'
import { DateField, TimeField } from './fields/DateFields.tsx'
import { FileField } from './fields/FileField.tsx'
import { JsonField } from './fields/JsonField.tsx'
import { ListField, TupleField } from './fields/ListField.tsx'
import { NumberField } from './fields/NumberField.tsx'
import { ObjectField } from './fields/ObjectField.tsx'
import { ShapesField } from './fields/ShapesField.tsx'
import { TextField } from './fields/TextField.tsx'
import { type FieldProps, useForm } from './form-context.ts'
import { toPointer } from './issues.ts'
import { findKind, type Kind } from './kinds.ts'
import { resolveNode, splitNull } from './schema.ts'

const FIELDS: Readonly<Record<Kind, FunctionComponent<KindProps>>> = {
  choice: ChoiceField,
  shapes: ShapesField,
  boolean: BooleanField,
  number: NumberField,
  file: FileField,
  date: DateField,
  time: TimeField,
  text: TextField,
  tuple: TupleField,
  choices: ChoicesField,
  list: ListField,
  object: ObjectField,
  json: JsonField,
}

function FieldOnce(props: FieldProps) {
  const { document } = useForm()
  const { node, isNullable } = splitNull(resolveNode(props.schema, props.value, document), document)
  const found = findKind(node, document)
  const kind = fitsKind(found, props.value) ? found : 'json'
  const Kind = FIELDS[kind]
  return <Kind {...props} node={node} isNullable={isNullable && kind !== 'json'} />
}

/** A value of another type, which the user has written as JSON, stays as it is. */
function fitsKind(kind: Kind, value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (kind === 'object') return isObject(value)
  if (kind === 'list' || kind === 'tuple' || kind === 'choices') return Array.isArray(value)
  if (kind === 'text' || kind === 'number' || kind === 'date' || kind === 'time' || kind === 'file')
    return typeof value !== 'object'
  return true
}

/** Unchanged fields are not drawn again: a form may have hundreds of fields. */
export const Field = memo(
  FieldOnce,
  (before: FieldProps, after: FieldProps) =>
    before.schema === after.schema &&
    before.value === after.value &&
    before.isRequired === after.isRequired &&
    before.isInShape === after.isInShape &&
    before.label === after.label &&
    before.onChange === after.onChange &&
    toPointer(before.path) === toPointer(after.path),
) as FunctionComponent<FieldProps>
