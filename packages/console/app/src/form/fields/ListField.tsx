// A list: rows with their number, which can be moved and removed. A new row is sent once it has
// content.
import { useRef, useState } from 'preact/hooks'
import { Icon } from '../../parts/Icon.tsx'
import { toVisible } from '../../parts/visible-text.ts'
import { type KindProps, nameField, toLiteral } from '../Frame.tsx'
import { useFocus, useForm } from '../form-context.ts'
import { toPointer } from '../issues.ts'
import { findKind, type Kind } from '../kinds.ts'
import { Add, Nest } from '../Nest.tsx'
import { resolveNode, splitNull } from '../schema.ts'
import { createUntouched } from '../untouched.ts'
import { describeType } from '../words.ts'
import { LeaveEmpty } from './ChoicesField.tsx'

/** More rows would be slow to draw. The JSON contains all. */
const MAX_ROWS = 200

/** These kinds are boxes, so they show at once. */
const BOXES: readonly Kind[] = ['object', 'list', 'tuple', 'shapes']

export function ListField(field: KindProps) {
  const { document, toFocus, move } = useForm()
  const addButton = useRef<HTMLButtonElement>(null)
  const { node, value, at, path, isRequired, label, onChange } = field
  const [isAdding, setAdding] = useState(false)
  const keys = useRowKeys()
  if (value === null || (value === undefined && !isRequired && label === undefined)) {
    const open = () => {
      setAdding(true)
      onChange(at, [])
    }
    return <Add field={field} meta={describeType(node, document)} onAdd={open} />
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const schema = node['items'] ?? true
  const item = splitNull(resolveNode(schema, undefined, document), document)
  const kind = findKind(item.node, document)
  // Until a shape is chosen, its place contains `null`, unless `null` is a valid value.
  const isBox = BOXES.includes(kind) && !(kind === 'shapes' && item.isNullable)
  const name = nameField(field, node).name
  const add = () => {
    toFocus.current = toPointer([...path, items.length])
    if (isBox)
      onChange(at, [...items, kind === 'object' ? createUntouched(schema, document) : kind === 'shapes' ? null : []])
    else setAdding(true)
  }
  const set = (index: number, next: unknown) => {
    if (index === items.length && next !== undefined) setAdding(false)
    // An emptied item stays; only Remove deletes it.
    onChange(
      at,
      index === items.length && next === undefined ? items : setItem(items, index, next === undefined ? '' : next),
    )
  }
  const rows = isAdding && !isBox ? [...items, undefined] : items
  return (
    <Nest field={field} meta={describeCount(field, items.length)}>
      <div class="fields">
        {rows.length > 0 && (
          <ol class="entries">
            {rows.slice(0, MAX_ROWS).map((item, index) => (
              <Row
                key={keys.find(index)}
                field={field}
                schema={schema}
                index={index}
                value={item}
                isNew={index === items.length}
                hasOthers={rows.length > 1}
                onChange={next => set(index, next)}
                onUp={() => {
                  keys.moveUp(index)
                  move(toPointer(path), each => (each === index ? each - 1 : each === index - 1 ? index : each))
                  onChange(at, moveUp(items, index))
                }}
                onRemove={() => {
                  addButton.current?.focus()
                  if (index === items.length) return setAdding(false)
                  keys.remove(index)
                  move(toPointer(path), each => (each === index ? undefined : each > index ? each - 1 : each))
                  onChange(at, items.toSpliced(index, 1))
                }}
              />
            ))}
          </ol>
        )}
        {rows.length > MAX_ROWS && (
          <p class="hint">
            The first {MAX_ROWS} of {items.length.toLocaleString('en')}. The JSON has all
          </p>
        )}
        <div class="row">
          <button type="button" class="button button-s" ref={addButton} onClick={add}>
            <Icon name="plus" />
            Add {nameItem(toVisible(name))}
          </button>
          {value === undefined && rows.length === 0 && (
            <span class="hint">
              <LeaveEmpty field={field} />
            </span>
          )}
        </div>
      </div>
    </Nest>
  )
}

/** The state of a row besides its value, such as half a number, moves with it. */
function useRowKeys() {
  const keys = useRef<number[]>([])
  const next = useRef(0)
  return {
    find(index: number): number {
      while (keys.current.length <= index) keys.current.push(next.current++)
      return keys.current[index]!
    },
    remove(index: number): void {
      keys.current.splice(index, 1)
    },
    moveUp(index: number): void {
      keys.current.splice(index - 1, 2, keys.current[index]!, keys.current[index - 1]!)
    },
  }
}

const setItem = (items: readonly unknown[], index: number, next: unknown) =>
  index === items.length ? [...items, next] : items.with(index, next)

const moveUp = (items: readonly unknown[], index: number) =>
  items.toSpliced(index - 1, 2, items[index], items[index - 1])

function describeCount({ node }: KindProps, count: number): string {
  const { minItems, maxItems } = node
  if (typeof maxItems === 'number') return `${count} of at most ${maxItems}`
  return typeof minItems === 'number' && minItems > 0 ? `${count} of at least ${minItems}` : `${count}`
}

/** `tags` → `a tag`; a word without a plural becomes `an item`. */
function nameItem(name: string): string {
  const one = /^[a-z]+[^su]s$/i.test(name) ? name.replace(/ies$/, 'y').replace(/s$/, '') : undefined
  if (one === undefined) return 'an item'
  return `${/^[aeiou]/i.test(one) ? 'an' : 'a'} ${one}`
}

interface RowProps {
  readonly field: KindProps
  readonly schema: unknown
  readonly index: number
  readonly value: unknown
  readonly isNew: boolean
  readonly hasOthers: boolean
  onChange(value: unknown): void
  onUp(): void
  onRemove(): void
}

function Row({ field, schema, index, value, isNew, hasOthers, onChange, onUp, onRemove }: RowProps) {
  const { Field } = useForm()
  const box = useFocus<HTMLDivElement>(toPointer([...field.path, index]))
  const name = `${toVisible(nameField(field, field.node).name)} ${index + 1}`
  const isPlain = value !== undefined && value !== '' && typeof value !== 'object'
  const shown = isPlain ? toVisible(toLiteral(value)) : `item ${index + 1}`
  return (
    <li>
      <span class="index">{index + 1}</span>
      <div class="grow" ref={box}>
        <Field
          schema={schema}
          value={value}
          at={index}
          path={[...field.path, index]}
          label={name}
          isRequired
          isInShape={field.isInShape}
          onChange={(_, next) => onChange(next)}
        />
      </div>
      {hasOthers && (
        <button
          type="button"
          class="icon-button"
          aria-label={`Move ${shown} up`}
          disabled={index === 0 || isNew}
          onClick={onUp}
        >
          <Icon name="up" />
        </button>
      )}
      <button type="button" class="icon-button" aria-label={`Remove ${shown}`} onClick={onRemove}>
        <Icon name="x" />
      </button>
    </li>
  )
}

/** A list with a separate schema for each position. */
export function TupleField(field: KindProps) {
  const { document, Field } = useForm()
  const { node, value, at, isRequired, label, path, onChange } = field
  if (value === null || (value === undefined && !isRequired && label === undefined))
    return <Add field={field} meta={describeType(node, document)} onAdd={() => onChange(at, [])} />
  const places = (Array.isArray(node['prefixItems']) ? node['prefixItems'] : node['items']) as readonly unknown[]
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const mayBeNull = (place: unknown) => splitNull(resolveNode(place, undefined, document), document).isNullable
  const set = (index: number, next: unknown) => {
    // JSON has no empty positions. An empty one before a value becomes `null`, and is invalid.
    const all = Array.from({ length: Math.max(items.length, index + 1) }, (_, each) => items[each] ?? null)
    const filled = all.with(index, next ?? null)
    const last = filled.findLastIndex((item, each) => item !== null || (each === index && next === null))
    onChange(at, filled.slice(0, Math.max(last + 1, index < items.length - 1 ? items.length : 0)))
  }
  return (
    <Nest field={field} meta={describeType(node, document)}>
      <div class="fields">
        {places.map((place, index) => (
          <Field
            key={index}
            schema={place}
            value={items[index] === null && !mayBeNull(place) ? undefined : items[index]}
            at={index}
            path={[...path, index]}
            isRequired
            isInShape={field.isInShape}
            onChange={(_, next) => set(index, next)}
          />
        ))}
      </div>
    </Nest>
  )
}
