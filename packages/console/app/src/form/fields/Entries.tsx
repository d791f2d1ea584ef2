// Members that the schema does not name: rows of a name and a value.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isObject, type JsonObject } from '../../client/json-rpc.ts'
import { Icon } from '../../parts/Icon.tsx'
import { toVisible } from '../../parts/visible-text.ts'
import { findEntrySchema } from '../entry-schema.ts'
import { useForm } from '../form-context.ts'
import { toPointer } from '../issues.ts'
import { findKind } from '../kinds.ts'
import { type Document, isEqual, listProperties, type Node, resolveNode, splitNull } from '../schema.ts'
import { createUntouched } from '../untouched.ts'

/** The members without a field of their own. */
const listOthers = (node: Node, object: JsonObject) => {
  const known = new Set(listProperties(node).map(([name]) => name))
  return Object.entries(object).filter(([name]) => !known.has(name))
}

/** Whether the schema describes other members, or declares none. */
function isOpen(node: Node): boolean {
  if (isObject(node['patternProperties'])) return true
  const { additionalProperties } = node
  if (additionalProperties === undefined) return listProperties(node).length === 0 && node['type'] === 'object'
  return additionalProperties !== false
}

/** Whether there is something to show. */
export const hasEntries = (node: Node, object: JsonObject): boolean =>
  isOpen(node) || listOthers(node, object).length > 0

interface Props {
  readonly node: Node
  readonly object: JsonObject
  readonly path: readonly (string | number)[]
  onChange(object: JsonObject): void
}

export function Entries({ node, object, path, onChange }: Props) {
  const { toFocus } = useForm()
  const [isAdding, setAdding] = useState(false)
  const [, redraw] = useState({})
  const rowsInOrder = useRows()
  const others = rowsInOrder.sort(listOthers(node, object))
  const names = listProperties(node).map(([name]) => name)
  const own = Object.entries(object).filter(([name]) => names.includes(name))
  const write = (entries: readonly (readonly [string, unknown])[]) => onChange(Object.fromEntries([...own, ...entries]))
  const set = (index: number, name: string, value: unknown) => {
    if (index === others.length) setAdding(false)
    rowsInOrder.rename(index, name)
    write(others.toSpliced(index, 1, [name, value]))
  }
  const add = () => {
    // Focuses the row that has no name yet.
    toFocus.current = toNamePointer(path, others.findIndex(([name]) => name === '') + 1 || others.length + 1)
    setAdding(!others.some(([name]) => name === ''))
    redraw({})
  }
  const hasBlank = isAdding || (others.length === 0 && names.length === 0)
  const rows: readonly (readonly [string, unknown])[] = hasBlank ? [...others, ['', undefined]] : others
  return (
    <>
      {rows.length > 0 && (
        <ol class="entries">
          {rows.map(([name, value], index) => (
            <Entry
              key={rowsInOrder.find(index)}
              index={index}
              name={name}
              value={value}
              path={path}
              node={node}
              isTaken={next => names.includes(next) || others.some(([other], each) => other === next && each !== index)}
              onChange={(next, nextValue) => set(index, next, nextValue)}
              onRemove={() => (index === others.length ? setAdding(false) : write(others.toSpliced(index, 1)))}
            />
          ))}
        </ol>
      )}
      {isOpen(node) && (
        <button type="button" class="button button-s" onClick={add}>
          <Icon name="plus" />
          Add an entry
        </button>
      )}
    </>
  )
}

const toNamePointer = (path: Props['path'], row: number) => `${toPointer(path)}//${row}`

/**
 * Keeps the rows in the order in which they were written. An object would put numeric names first,
 * and so move the focus.
 */
function useRows() {
  const rows = useRef<{ readonly key: number; name: string }[]>([])
  const next = useRef(0)
  return {
    sort(entries: readonly (readonly [string, unknown])[]): readonly (readonly [string, unknown])[] {
      const left = new Map(entries)
      const kept = rows.current.filter(({ name }) => left.delete(name))
      rows.current = [...kept, ...[...left.keys()].map(name => ({ key: next.current++, name }))]
      const values = new Map(entries)
      return rows.current.map(({ name }) => [name, values.get(name)])
    },
    /** The row after the last one also has a key, which it keeps once it has a name. */
    find: (index: number): number => rows.current[index]?.key ?? next.current,
    rename(index: number, name: string): void {
      const row = rows.current[index]
      if (row === undefined) rows.current.push({ key: next.current++, name })
      else row.name = name
    },
  }
}

interface EntryProps {
  readonly index: number
  readonly name: string
  /** `undefined`: a row that is not in the object yet. */
  readonly value: unknown
  readonly path: readonly (string | number)[]
  readonly node: Node
  isTaken(name: string): boolean
  onChange(name: string, value: unknown): void
  onRemove(): void
}

function Entry({ index, name, value, path, node, isTaken, onChange, onRemove }: EntryProps) {
  const { Field, document } = useForm()
  const shown = toVisible(name) || 'the new entry'
  const start = (of: string) => startOf(findEntrySchema(node, of), document)
  // While the user types a name, another pattern may match. An untouched value then starts anew.
  const isUntouched = value === undefined || isEqual(value, start(name))
  return (
    <li>
      <NameInput
        index={index}
        name={name}
        isTaken={isTaken}
        pointer={toNamePointer(path, index + 1)}
        onName={next => onChange(next, isUntouched ? start(next) : value)}
      />
      <div class="grow">
        <Field
          schema={findEntrySchema(node, name)}
          value={value}
          at={name}
          path={[...path, name]}
          label={`Value of ${shown}`}
          isRequired
          onChange={(_, next) => onChange(name, next === undefined ? '' : next)}
        />
      </div>
      <button type="button" class="icon-button" aria-label={`Remove ${shown}`} onClick={onRemove}>
        <Icon name="x" />
      </button>
    </li>
  )
}

/** The value of a new row: an empty text, which is invalid if another type is needed. */
function startOf(schema: unknown, document: Document): unknown {
  const { node } = splitNull(resolveNode(schema, undefined, document), document)
  const kind = findKind(node, document)
  if (kind === 'object') return createUntouched(node, document)
  return kind === 'list' || kind === 'tuple' || kind === 'choices' ? [] : ''
}

interface NameProps {
  readonly index: number
  /** The place that may take the focus. */
  readonly pointer: string
  readonly name: string
  isTaken(name: string): boolean
  onName(name: string): void
}

/** Two entries cannot have the same name. Such a name waits until it differs. */
function NameInput({ index, pointer, name, isTaken, onName }: NameProps) {
  const { toFocus } = useForm()
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (toFocus.current !== pointer) return
    toFocus.current = undefined
    input.current?.focus()
  })
  const [taken, setTaken] = useState<string>()
  const change = (next: string) => {
    if (isTaken(next)) return setTaken(next)
    setTaken(undefined)
    onName(next)
  }
  return (
    <input
      class="input key"
      ref={input}
      value={taken ?? name}
      spellcheck={false}
      autocomplete="off"
      aria-label={`Name ${index + 1}`}
      aria-invalid={taken !== undefined || undefined}
      title={taken === undefined ? undefined : 'Another entry has this name'}
      onInput={event => change(event.currentTarget.value)}
    />
  )
}
