// Values that every field of a form may use.
import { createContext, type FunctionComponent, type RefObject } from 'preact'
import { useCallback, useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Store } from '../client/store.ts'
import { type Chosen, type Issue, type Issues, toPointer } from './issues.ts'
import { type Document, isEqual } from './schema.ts'
import type { Checks } from './use-checks.ts'

export interface FieldProps {
  readonly schema: unknown
  /** `undefined`: not set. */
  readonly value: unknown
  /** Its key in the surrounding value. */
  readonly at: string | number
  /** From the outermost value on; ends with `at`. */
  readonly path: readonly (string | number)[]
  readonly isRequired?: boolean | undefined
  /** Within a choice of shapes, where the server adds no defaults. */
  readonly isInShape?: boolean | undefined
  /** Set in a row, which shows the name: no head, no hints. */
  readonly label?: string | undefined
  /** @param value `undefined` leaves it out */
  onChange(at: string | number, value: unknown): void
}

export interface FormState {
  readonly document: Document
  readonly idPrefix: string
  /** A store, so that an issue redraws its field only. */
  readonly issues: Store<Issues>
  readonly chosen: Chosen
  readonly choose: Checks['choose']
  readonly move: Checks['move']
  /**
   * The place whose first input takes the focus once it exists, because the button that made it is
   * gone.
   */
  readonly toFocus: { current: string | undefined }
  /** Given here, since objects and lists show fields within fields. */
  readonly Field: FunctionComponent<FieldProps>
}

export const FormContext = createContext<FormState | undefined>(undefined)

export function useForm(): FormState {
  const form = useContext(FormContext)
  if (form === undefined) throw new Error('Outside of a form')
  return form
}

/** The issue at a place. */
export function useIssueAt(path: FieldProps['path']): Issue | undefined {
  const { issues } = useForm()
  const pointer = toPointer(path)
  const [, redraw] = useState({})
  const shown = issues.get().get(pointer)
  useLayoutEffect(
    () =>
      issues.subscribe(() => {
        if (!isEqual(issues.get().get(pointer), shown)) redraw({})
      }),
    [issues, pointer, shown],
  )
  return shown
}

/** Takes the focus, with the first input in it, if it was requested. */
export function useFocus<T extends HTMLElement>(pointer: string): RefObject<T | null> {
  const { toFocus } = useForm()
  const element = useRef<T>(null)
  useLayoutEffect(() => {
    if (toFocus.current !== pointer) return
    toFocus.current = undefined
    const input = element.current?.querySelector<HTMLElement>('input, textarea, select, button')
    ;(input ?? element.current)?.focus()
  }, [toFocus, pointer])
  return element
}

/**
 * A function that stays the same, but runs the newest version. So unchanged fields need not render
 * again.
 */
export function useStable<Args extends readonly unknown[], T>(run: (...args: Args) => T): (...args: Args) => T {
  const newest = useRef(run)
  newest.current = run
  return useCallback((...args: Args) => newest.current(...args), [])
}
