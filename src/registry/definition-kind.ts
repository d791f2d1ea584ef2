// The kind of a definition, which `defineTool` and the like put on it.

/** The kinds of definitions. */
export type DefinitionKind = 'tool' | 'resource' | 'prompt'

export const KIND = Symbol.for('toolrack.kind')

export const hasKind = (definition: object): boolean => KIND in definition

/** The kind of a definition; a plain object with a handler counts as a tool. */
export function findDefinitionKind(value: unknown): DefinitionKind | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const kind = (value as { [KIND]?: DefinitionKind })[KIND]
  return kind ?? (typeof (value as { handler?: unknown }).handler === 'function' ? 'tool' : undefined)
}
