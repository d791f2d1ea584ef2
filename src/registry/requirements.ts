// What a definition needs from the environment before it can be served.
import { Type } from '@sinclair/typebox'

/** Each must be set; of an array, one of them. */
export type Requires = (string | string[])[]

export const Variable = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' })

export const Requires = Type.Optional(Type.Array(Type.Union([Variable, Type.Array(Variable, { minItems: 1 })])))

/** @returns what is missing, in words: `A`, or `A or B` where either would do */
export function missingOf(requires: Requires = [], isSet: (name: string) => boolean): readonly string[] {
  return requires
    .map(each => [each].flat())
    .filter(names => !names.some(name => isSet(name)))
    .map(names => names.join(' or '))
}
