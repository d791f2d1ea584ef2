// Copies of definitions with other fields. They keep the server's notes on the original in symbols,
// which survive a copy by spread.
import type { ToolModule } from './isolate.ts'

const ORIGIN = Symbol.for('toolrack.origin')
const ROOT = Symbol.for('toolrack.root')
const PIN = Symbol.for('toolrack.pin')

/** Where the definition of a file comes from. */
export interface Origin<E = unknown> {
  /** As the log names it. */
  readonly file: string
  /** The module that the process of an isolated tool loads. */
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

/** The original definition: the process of an isolated tool finds the tool by its name. */
export const findRoot = <D>(definition: D): D => (readMarks(definition)[ROOT] as D | undefined) ?? definition

/** A copy that knows its file. It is the root of all later copies, also of those by spread. */
export function withOrigin<D extends object, E>(definition: D, origin: Origin<E>): D {
  const copy: D & { [ROOT]?: object } = { ...definition, [ORIGIN]: origin }
  copy[ROOT] = copy
  return copy
}

export function findOrigin(definition: unknown): Origin | undefined {
  try {
    return readMarks(definition)[ORIGIN] as Origin | undefined
  } catch {
    // Such as a revoked proxy. The build refuses it and tells its source.
    return undefined
  }
}

/** A copy that stands in lists before all with a larger place or without one. */
export const withPin = <D extends object>(definition: D, place: number): D => derive(definition, { [PIN]: place })

/** Its place in lists, from 0; undefined if it is sorted by name. */
export const findPin = (definition: unknown): number | undefined => readMarks(definition)[PIN]
