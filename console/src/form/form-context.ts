// What every field of a form may use.
import { createContext, type FunctionComponent } from 'preact'
import { useCallback, useContext, useRef } from 'preact/hooks'
import type { Chosen, Issues } from './issues.ts'
import type { Document } from './schema.ts'

export interface FieldProps {
  readonly schema: unknown
  /** `undefined`: not set. */
  readonly value: unknown
  /** Its key in the value around it. */
  readonly at: string | number
  /** From the outermost value on; ends with `at`. */
  readonly path: readonly (string | number)[]
  readonly isRequired?: boolean | undefined
  /** Behind a choice of shapes, where the server fills in no defaults. */
  readonly isInShape?: boolean | undefined
  /** Stands in a row, which names it: no head, no hints. */
  readonly label?: string | undefined
  /** @param value `undefined` leaves it out */
  onChange(at: string | number, value: unknown): void
}

export interface FormState {
  readonly document: Document
  readonly idPrefix: string
  readonly issues: Issues
  readonly chosen: Chosen
  choose(pointer: string, schema: unknown): void
  /** Objects and lists show fields in fields. */
  readonly Field: FunctionComponent<FieldProps>
}

export const FormContext = createContext<FormState | undefined>(undefined)

export function useForm(): FormState {
  const form = useContext(FormContext)
  if (form === undefined) throw new Error('Outside of a form')
  return form
}

/** A function that stays the same, and does what the newest one does: fields that did not change render no more. */
export function useStable<Args extends readonly unknown[], T>(run: (...args: Args) => T): (...args: Args) => T {
  const newest = useRef(run)
  newest.current = run
  return useCallback((...args: Args) => newest.current(...args), [])
}
