// An object: the fields of its members in a box, and rows for members that the schema does not name.
import { isObject, type JsonObject } from '../../client/json-rpc.ts'
import type { KindProps } from '../Frame.tsx'
import { useForm, useStable } from '../form-context.ts'
import { Add, Nest } from '../Nest.tsx'
import { findConstant, getMember, hasDefault, isEqual, isRequired, listProperties, resolveNode } from '../schema.ts'
import { createUntouched } from '../untouched.ts'
import { describeMembers, describeType } from '../words.ts'
import { LeaveEmpty } from './ChoicesField.tsx'
import { Entries, hasEntries } from './Entries.tsx'

export function ObjectField(field: KindProps) {
  const { document } = useForm()
  const { node, value, at, onChange } = field
  const isClosed = value === null || (value === undefined && !field.isRequired && field.label === undefined)
  const type = describeType(node, document)
  if (isClosed) {
    return (
      <Add
        field={field}
        meta={`${type}${describeMembers(node)}`}
        onAdd={() => onChange(at, createUntouched(node, document))}
      />
    )
  }
  return (
    <Nest field={field} meta={type}>
      <Members {...field} />
      {value === undefined && listProperties(node).length === 0 && (
        <p class="hint nest-end">
          <LeaveEmpty field={field} empty={{}} />
        </p>
      )}
    </Nest>
  )
}

/** Only the members: of the arguments, of a box, or of a shape. */
export function Members({
  node,
  value,
  at,
  path,
  isInShape,
  hidden,
  onChange,
}: KindProps & { hidden?: string | undefined }) {
  const { document, Field } = useForm()
  const properties = listProperties(node)
  const object: JsonObject = isObject(value) ? value : {}
  const names = properties.map(([name]) => name)
  const change = useStable((name: string | number, next: unknown) =>
    onChange(at, setMember(object, String(name), next, names)),
  )
  const shown = properties.filter(([name, schema]) => name !== hidden && !isSettled(name, schema))
  return (
    <div class="fields">
      {shown.map(([name, schema]) => (
        <Field
          key={name}
          schema={schema}
          value={getMember(object, name)}
          at={name}
          path={[...path, name]}
          isRequired={isRequired(node, name) && (isInShape || !hasDefault(schema, document))}
          isInShape={isInShape}
          onChange={change}
        />
      ))}
      {hasEntries(node, object) && (
        <Entries node={node} object={object} path={path} onChange={next => onChange(at, next)} />
      )}
    </div>
  )

  /** A required constant with its value needs no field. */
  function isSettled(name: string, schema: unknown): boolean {
    const constant = findConstant(resolveNode(schema, undefined, document))
    return (
      document.isAnswer !== true &&
      constant !== undefined &&
      isRequired(node, name) &&
      isEqual(getMember(object, name), constant.value)
    )
  }
}

/** In the order of the schema, as people read it; other members come after. */
function setMember(object: JsonObject, name: string, value: unknown, order: readonly string[]): JsonObject {
  const all = new Map(Object.entries(object))
  if (value === undefined) all.delete(name)
  else all.set(name, value)
  const known = order.filter(each => all.has(each))
  const others = [...all.keys()].filter(each => !order.includes(each))
  return Object.fromEntries([...known, ...others].map(each => [each, all.get(each)]))
}
