// Members that the schema does not name: rows of a name and a value.
import { useState } from 'preact/hooks'
import { isObject, type JsonObject } from '../../client/json-rpc.ts'
import { Icon } from '../../parts/Icon.tsx'
import { toVisible } from '../../results/visible-text.ts'
import { useForm } from '../form-context.ts'
import { isFast } from '../patterns.ts'
import { listProperties, type Node } from '../schema.ts'

/** A name is not longer than this where it is tried on patterns. */
const MAX_NAME = 200

/** The members that have no field of their own. */
const listOthers = (node: Node, object: JsonObject) => {
  const known = new Set(listProperties(node).map(([name]) => name))
  return Object.entries(object).filter(([name]) => !known.has(name))
}

/** Whether the schema speaks of other members, or names none. */
function isOpen(node: Node): boolean {
  if (isObject(node['patternProperties'])) return true
  const { additionalProperties } = node
  if (additionalProperties === undefined) return listProperties(node).length === 0 && node['type'] === 'object'
  return additionalProperties !== false
}

/** Whether there is something to show. */
export const hasEntries = (node: Node, object: JsonObject): boolean =>
  isOpen(node) || listOthers(node, object).length > 0

function findSchema(node: Node, name: string): unknown {
  const patterns = isObject(node['patternProperties']) ? Object.entries(node['patternProperties']) : []
  const found = patterns.find(
    ([pattern]) => name.length <= MAX_NAME && isFast(pattern, MAX_NAME) && matches(pattern, name),
  )
  return found?.[1] ?? (node['additionalProperties'] || true)
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    return false
  }
}

interface Props {
  readonly node: Node
  readonly object: JsonObject
  readonly path: readonly (string | number)[]
  onChange(object: JsonObject): void
}

export function Entries({ node, object, path, onChange }: Props) {
  const [isAdding, setAdding] = useState(false)
  const others = listOthers(node, object)
  const names = listProperties(node).map(([name]) => name)
  const own = Object.entries(object).filter(([name]) => names.includes(name))
  const write = (entries: readonly (readonly [string, unknown])[]) => onChange(Object.fromEntries([...own, ...entries]))
  const set = (index: number, name: string, value: unknown) => {
    if (index === others.length) setAdding(false)
    write(others.toSpliced(index, 1, [name, value]))
  }
  const hasBlank = isAdding || (others.length === 0 && names.length === 0)
  const rows: readonly (readonly [string, unknown])[] = hasBlank ? [...others, ['', undefined]] : others
  return (
    <>
      {rows.length > 0 && (
        <ol class="entries">
          {rows.map(([name, value], index) => (
            <Entry
              key={index}
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
        <button type="button" class="button button-s" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          Add an entry
        </button>
      )}
    </>
  )
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
  const { Field } = useForm()
  const shown = toVisible(name) || 'the new entry'
  return (
    <li>
      <NameInput
        index={index}
        name={name}
        isTaken={isTaken}
        onName={next => onChange(next, value ?? startOf(findSchema(node, next)))}
      />
      <div class="grow">
        <Field
          schema={findSchema(node, name)}
          value={value}
          at={name}
          path={[...path, name]}
          label={`Value of ${shown}`}
          isRequired
          onChange={(_, next) => onChange(name, next ?? '')}
        />
      </div>
      <button type="button" class="icon-button" aria-label={`Remove ${shown}`} onClick={onRemove}>
        <Icon name="x" />
      </button>
    </li>
  )
}

/** A value to begin with: the text is empty, and does not fit if it has to be something else. */
function startOf(schema: unknown): unknown {
  const type = isObject(schema) ? schema['type'] : undefined
  return type === 'object' ? {} : type === 'array' ? [] : ''
}

interface NameProps {
  readonly index: number
  readonly name: string
  isTaken(name: string): boolean
  onName(name: string): void
}

/** Two entries cannot have one name: such a name waits until it differs. */
function NameInput({ index, name, isTaken, onName }: NameProps) {
  const [taken, setTaken] = useState<string>()
  const change = (next: string) => {
    if (isTaken(next)) return setTaken(next)
    setTaken(undefined)
    onName(next)
  }
  return (
    <input
      class="input key"
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
