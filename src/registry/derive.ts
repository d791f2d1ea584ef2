// Copies of definitions with other fields, which keep what the server knows of the original.
import type { Definition } from './catalog.ts'
import type { ToolModule } from './folder/modules.ts'

const ORIGIN = Symbol.for('toolrack.origin')
const WRITTEN_NAME = Symbol.for('toolrack.writtenName')
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
  readonly [WRITTEN_NAME]?: string
  readonly [PIN]?: number
}

/**
 * A copy with other fields. Copies by spread keep the marks, too, but for the name by which the
 * process of an isolated tool finds it.
 */
export function derive<D extends Definition>(definition: D, fields: object): D {
  const { name } = definition
  const isRenamed = 'name' in fields && getWrittenName(definition) === name
  return { ...definition, ...fields, ...(isRenamed && { [WRITTEN_NAME]: name }) }
}

/** A copy that knows its file. */
export const withOrigin = <D extends Definition, E>(definition: D, origin: Origin<E>): D =>
  ({ ...definition, [ORIGIN]: origin }) as D

export const findOrigin = (definition: unknown): Origin | undefined =>
  (Object(definition) as Marked)[ORIGIN] as Origin | undefined

/** The name in the module that exports the tool. */
export const getWrittenName = (definition: Definition): string =>
  (definition as Marked)[WRITTEN_NAME] ?? definition.name

/** A copy that stands in lists before what has a larger place or none. */
export const withPin = <D extends Definition>(definition: D, place: number): D => ({ ...definition, [PIN]: place })

/** Its place in lists, from 0; undefined if it is sorted by name. */
export const findPin = (definition: unknown): number | undefined => (Object(definition) as Marked)[PIN]
