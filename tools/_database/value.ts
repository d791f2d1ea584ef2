import { Type } from 'toolrack'

/** What a column holds, as JSON; those of type json hold objects and lists, too. */
export const Value = Type.Unsafe<unknown>({ type: ['string', 'number', 'boolean', 'null', 'object', 'array'] })
