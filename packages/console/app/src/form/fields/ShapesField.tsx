// One of several shapes: the choice, and the fields of the chosen one.
import { Segmented } from '../../parts/Segmented.tsx'
import { toVisible } from '../../parts/visible-text.ts'
import { Frame, type KindProps, nameField } from '../Frame.tsx'
import { useForm } from '../form-context.ts'
import { toPointer } from '../issues.ts'
import { findKind } from '../kinds.ts'
import { findTypes, isEqual, type Node } from '../schema.ts'
import { createShape, findShape, findShapes, joinShape, keepShared, type Shapes } from '../shapes.ts'
import { isObjectNode } from '../untouched.ts'
import { areSegments } from './ChoiceField.tsx'
import { Members } from './ObjectField.tsx'

const UNSET = 'unset'

export function ShapesField(field: KindProps) {
  const { document, chosen, choose } = useForm()
  const { node, value, at, path, onChange } = field
  const shapes = findShapes(node, document)!
  const pointer = toPointer(path)
  const index = findShape(shapes, value === null && field.isNullable ? undefined : value, document, chosen.get(pointer))
  const shape = index === undefined ? undefined : shapes.shapes[index]
  const change = (next: string) => {
    const wanted = next === UNSET ? undefined : shapes.shapes[Number(next)]
    choose(pointer, shapes.shapes, wanted)
    if (wanted === undefined) return onChange(at, undefined)
    const joined = joinShape(shapes, wanted, undefined, document)
    const fresh = isObjectNode(joined) ? createShape(shapes, joined, document) : undefined
    onChange(at, keepShared(value, fresh, joined, document))
  }
  return (
    <div class="fields shapes">
      <Chooser field={field} shapes={shapes} index={index} onChoose={change} />
      {shape !== undefined && (
        <Body field={field} node={joinShape(shapes, shape, value, document)} hidden={shapes.discriminator} />
      )}
    </div>
  )
}

interface ChooserProps {
  readonly field: KindProps
  readonly shapes: Shapes
  readonly index: number | undefined
  onChoose(next: string): void
}

export function Chooser({ field, shapes, index, onChoose }: ChooserProps) {
  const { isRequired, value, node } = field
  const choices = shapes.shapes.map(({ label }, each) => [String(each), toVisible(label)] as const)
  const unset = isRequired ? [] : ([[UNSET, 'Not set']] as const)
  const chosen = index === undefined ? (value === undefined && !isRequired ? UNSET : undefined) : String(index)
  const name = toVisible(field.label ?? shapes.discriminator ?? nameField(field, node).name)
  if (areSegments(shapes.shapes)) {
    return (
      <Frame field={field} isGroup meta={isRequired ? '' : undefined} hasLeaveOut={false}>
        {({ describedBy }) => (
          <Segmented
            isField
            label={name}
            choices={[...unset, ...choices]}
            value={chosen}
            describedBy={describedBy}
            onChange={onChoose}
          />
        )}
      </Frame>
    )
  }
  return (
    <Frame field={field} meta={isRequired ? '' : undefined} hasLeaveOut={false}>
      {({ id, describedBy, isInvalid, label }) => (
        <select
          class="select"
          id={id}
          aria-label={label}
          aria-describedby={describedBy}
          aria-invalid={isInvalid || undefined}
          value={chosen ?? UNSET}
          onChange={event => onChoose(event.currentTarget.value)}
        >
          <option value={UNSET} disabled={isRequired && index !== undefined}>
            {isRequired ? 'Choose…' : 'Not set'}
          </option>
          {choices.map(([each, label]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Frame>
  )
}

/** Members of an object are below the choice. Any other shape is one field, which the choice names. */
function Body({ field, node, hidden }: { field: KindProps; node: Node; hidden: string | undefined }) {
  const { document, Field } = useForm()
  const { label, value, at, path, onChange } = field
  if (findKind(node, document) === 'object' && !isEqual(findTypes(node), ['array']))
    return <Members {...field} node={node} value={value} isInShape hidden={hidden} />
  const name = label ?? nameField(field, field.node).name
  return (
    <Field
      schema={node}
      value={value ?? undefined}
      at={at}
      path={path}
      isRequired
      isInShape
      label={name}
      onChange={onChange}
    />
  )
}
