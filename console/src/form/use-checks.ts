// What a form knows beside its value: what does not fit, and which shapes are chosen.
import { useMemo, useRef, useState } from 'preact/hooks'
import { useStable } from './form-context.ts'
import { type Chosen, findIssues, type Issues } from './issues.ts'
import { createModel, type Model } from './model.ts'

export interface Checks {
  readonly model: Model
  /** What does not fit, once it was tried to send. */
  readonly issues: Issues
  readonly chosen: Chosen
  choose(pointer: string, schema: unknown): void
  /** From now on what does not fit shows as the user types. @returns what does not fit now */
  check(value: unknown): Issues
  /** Shows nothing until the next check. */
  reset(): void
}

const NO_ISSUES: Issues = new Map()
const NOTHING_CHOSEN: Chosen = new Map()

export function useChecks(schema: unknown, value: unknown): Checks {
  const model = useMemo(() => createModel(schema), [schema])
  const [chosen, setChosen] = useState(NOTHING_CHOSEN)
  const [isChecked, setChecked] = useState(false)
  const find = (data: unknown) => findIssues(model.judge, model.document, data, chosen) ?? NO_ISSUES
  const known = useRef(NO_ISSUES)
  const issues = useMemo(() => (isChecked ? find(value) : NO_ISSUES), [isChecked, value, chosen, model])
  // The same issues are the same map, so that typing draws one field and not all.
  if (!areSame(known.current, issues)) known.current = issues
  return {
    model,
    issues: known.current,
    chosen,
    choose: useStable((pointer: string, part: unknown) => setChosen(all => new Map(all).set(pointer, part))),
    check(data) {
      setChecked(true)
      return find(data)
    },
    reset: () => setChecked(false),
  }
}

const areSame = (one: Issues, other: Issues) =>
  one.size === other.size && JSON.stringify([...one]) === JSON.stringify([...other])
