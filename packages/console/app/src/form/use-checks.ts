// The state of a form besides its value: the issues, and the chosen shapes.
import { useMemo, useRef, useState } from 'preact/hooks'
import { useStable } from './form-context.ts'
import { type Chosen, findIssues, type Issues, moveChosen } from './issues.ts'
import { createModel, type Model } from './model.ts'
import { isEqual } from './schema.ts'
import type { Shape } from './shapes.ts'

export interface Checks {
  readonly model: Model
  /** The issues, after an attempt to send. */
  readonly issues: Issues
  /** False if the browser cannot check the value, and leaves it to the server. */
  readonly isJudged: boolean
  readonly chosen: Chosen
  /** @param wanted one of the shapes; undefined to choose none */
  choose(pointer: string, shapes: readonly Shape[], wanted: Shape | undefined): void
  /** Moves the items of a list. @param to the new position of each; `undefined` removes it */
  move(pointer: string, to: (index: number) => number | undefined): void
  /** The form itself has made this value, so the choices stay. */
  own(value: unknown): void
  /** From now on, shows issues while the user types. @returns the current issues */
  check(value: unknown): Issues
  /** Hides issues until the next check. */
  reset(): void
}

const NO_ISSUES: Issues = new Map()
const NOTHING_CHOSEN: Chosen = new Map()

export function useChecks(schema: unknown, value: unknown, isAnswer = false): Checks {
  const model = useMemo(() => createModel(schema, isAnswer), [schema, isAnswer])
  const [chosen, setChosen] = useChosen(value)
  const [isChecked, setChecked] = useState(false)
  const find = (data: unknown) => findIssues(model.judge, model.document, data, chosen.now)
  const known = useRef(NO_ISSUES)
  const found = useMemo(() => find(value), [value, chosen.now, model])
  const issues = (isChecked && found) || NO_ISSUES
  // Keeps the same map for the same issues, so that typing redraws one field only.
  if (!areSame(known.current, issues)) known.current = issues
  return {
    model,
    issues: known.current,
    isJudged: found !== undefined,
    chosen: chosen.now,
    choose: useStable((pointer, shapes, wanted) =>
      setChosen(all => {
        // A union directly within a union has the same place.
        const others = (all.get(pointer) ?? []).filter(each => !shapes.some(({ schema: own }) => isEqual(own, each)))
        return new Map(all).set(pointer, wanted === undefined ? others : [...others, wanted.schema])
      }),
    ),
    move: useStable((pointer, to) => setChosen(all => moveChosen(all, pointer, to))),
    own: chosen.own,
    check(data) {
      setChecked(true)
      return find(data) ?? NO_ISSUES
    },
    reset: () => setChecked(false),
  }
}

/**
 * The choices belong to the value of the form. A value from the JSON, an example or a link may
 * differ.
 */
function useChosen(value: unknown) {
  const [chosen, setChosen] = useState(NOTHING_CHOSEN)
  const made = useRef(value)
  const own = useStable((next: unknown) => {
    made.current = next
  })
  const isOwn = made.current === value
  if (!isOwn) {
    made.current = value
    if (chosen.size > 0) setChosen(NOTHING_CHOSEN)
  }
  return [{ now: isOwn ? chosen : NOTHING_CHOSEN, own }, setChosen] as const
}

const areSame = (one: Issues, other: Issues) =>
  one.size === other.size && JSON.stringify([...one]) === JSON.stringify([...other])
