// Adds defaults to arguments, as the server does before it checks them (packages/json-
// schema/src/fill-defaults.ts).
import { Filling } from '@toolrack/json-schema/fill-defaults'
import { isObject } from '../client/json-rpc.ts'
import { matchesFast } from './entry-schema.ts'
import type { Document } from './schema.ts'

/** @returns the same value if nothing is missing, and for an answer, which gets no defaults */
export const fillDefaults = (value: unknown, { root, isAnswer }: Document): unknown =>
  isAnswer === true || !isObject(root) ? value : new Filling(root, { matches: matchesFast }).fill(root, value)
