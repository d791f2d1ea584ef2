// The fields of a schema without buttons: the view around them sends the value.
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { Store } from '../client/store.ts'
import { Field } from './Field.tsx'
import { Members } from './fields/ObjectField.tsx'
import { Chooser } from './fields/ShapesField.tsx'
import { FormContext, type FormState, useStable } from './form-context.ts'
import { toPointer } from './issues.ts'
import { resolveNode } from './schema.ts'
import { createShape, findShape, findShapes, joinShape, keepShared } from './shapes.ts'
import type { Checks } from './use-checks.ts'

interface Props {
  readonly checks: Checks
  readonly value: unknown
  /** Distinguishes the ids of two forms. */
  readonly idPrefix: string
  onChange(value: JsonObject): void
}

export function Fields({ checks, value, idPrefix, onChange }: Props) {
  const { model, issues, chosen, choose, move, own } = checks
  const { document } = model
  const toFocus = useRef<string | undefined>(undefined)
  const shown = useMemo(() => new Store(issues), [])
  useLayoutEffect(() => shown.set(issues), [issues])
  const state = useMemo<FormState>(
    () => ({ document, idPrefix, issues: shown, chosen, choose, move, toFocus, Field }),
    [document, idPrefix, chosen],
  )
  const change = useStable((_: string | number, next: unknown) => {
    const made = isObject(next) ? next : {}
    own(made)
    onChange(made)
  })
  return (
    <FormContext.Provider value={state}>
      <Root value={value} checks={checks} onChange={change} />
    </FormContext.Provider>
  )
}

interface RootProps {
  readonly value: unknown
  readonly checks: Checks
  onChange(at: string | number, value: unknown): void
}

/** The members of the whole value. If it has shapes, their choice is above them. */
function Root({ value, checks: { model, chosen, choose }, onChange }: RootProps) {
  const { document } = model
  const node = resolveNode(document.root, value, document)
  const shapes = findShapes(node, document)
  const props = { schema: node, value, at: '', path: [], isRequired: true, isNullable: false, node, onChange }
  if (shapes === undefined) return <Members {...props} />
  const index = findShape(shapes, value, document, chosen.get(''))
  const shape = index === undefined ? undefined : shapes.shapes[index]
  const change = (next: string) => {
    const wanted = shapes.shapes[Number(next)]!
    choose('', shapes.shapes, wanted)
    const joined = joinShape(shapes, wanted, undefined, document)
    onChange('', keepShared(value, createShape(shapes, joined, document), joined, document))
  }
  // The pane already describes the whole value.
  const { title, description, examples, default: _, ...plain } = node
  return (
    <div class="fields">
      <Chooser
        field={{ ...props, at: shapes.discriminator ?? 'Shape', node: plain }}
        shapes={shapes}
        index={index}
        onChoose={change}
      />
      <Members
        {...props}
        node={shape === undefined ? shapes.base : joinShape(shapes, shape, value, document)}
        hidden={shapes.discriminator}
      />
    </div>
  )
}

/** Focuses the input of a place, or of the place around it. */
export function focusField(idPrefix: string, path: readonly string[]): void {
  for (let length = path.length; length > 0; length--) {
    const id = `${idPrefix}${toPointer(path.slice(0, length))}`
    const found = document.getElementById(id) ?? document.getElementById(`${id}-label`)?.closest('.field')
    if (found === null || found === undefined) continue
    const input = found.matches(CONTROLS) ? found : found.querySelector(CONTROLS)
    if (!(input instanceof HTMLElement)) continue
    input.focus()
    input.scrollIntoView({ block: 'nearest' })
    return
  }
}

/**
 * Whether an input contains half a date, which would not be sent. The browser names the missing
 * part.
 */
export function hasHalf(idPrefix: string): boolean {
  const inputs = document.querySelectorAll<HTMLInputElement>(`input[id^="${idPrefix}/"]`)
  const half = [...inputs].find(({ validity }) => validity.badInput)
  half?.reportValidity()
  return half !== undefined
}

const CONTROLS = 'input, textarea, select, button, fieldset'
