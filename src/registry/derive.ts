// Copies of definitions with other fields, which keep what the server knows of the original: symbols
// that a copy by spread keeps, too.
import type { ToolModule } from './isolate.ts'

const ORIGIN = Symbol.for('toolrack.origin')
const ROOT = Symbol.for('toolrack.root')
const PIN = Symbol.for('toolrack.pin')

/** Where the definition of a file comes from. */
export interface Origin<E = unknown> {
  /** As the log names it. */
  readonly file: string
  /** What the process of an isolated tool loads. */
  readonly module?: ToolModule | undefined
  /** The last step of the build: adds the rules of the file, or counts its calls. */
  finish?(entry: E): E
}

interface Marked {
  readonly [ORIGIN]?: Origin<never>
  readonly [ROOT]?: object
  readonly [PIN]?: number
}

const readMarks = (definition: unknown): Marked => Object(definition) as Marked

/** A copy with other fields. */
export const derive = <D extends object>(definition: D, fields: object): D => ({
  ...definition,
  ...fields,
  [ROOT]: findRoot(definition),
})

/** What the definition was derived from: it has the name by which the process of an isolated tool finds it. */
export const findRoot = <D>(definition: D): D => (readMarks(definition)[ROOT] as D | undefined) ?? definition

/** A copy that knows its file, and is the root of all copies, also of those by spread. */
export function withOrigin<D extends object, E>(definition: D, origin: Origin<E>): D {
  const copy: D & { [ROOT]?: object } = { ...definition, [ORIGIN]: origin }
  copy[ROOT] = copy
  return copy
}

export function findOrigin(definition: unknown): Origin | undefined {
  try {
    return readMarks(definition)[ORIGIN] as Origin | undefined
  } catch {
    // A revoked proxy, say: it is refused, and its source is told.
    return undefined
  }
}

/** A copy that stands in lists before those with a larger place or none. */
export const withPin = <D extends object>(definition: D, place: number): D => derive(definition, { [PIN]: place })

/** Its place in lists, from 0; undefined if it is sorted by name. */
export const findPin = (definition: unknown): number | undefined => readMarks(definition)[PIN]
