// Reads JSON Schema: what a schema says of a value. Pure, so that it runs in browsers, too.
export { isExact, isNumber, parseNumber } from '../../src/exact-number.ts'
export { findDialect, META_SCHEMAS } from '../../src/schema/dialect.ts'
export { Filling } from '../../src/schema/fill-defaults.ts'
export { KEYWORDS } from '../../src/schema/keywords.ts'
export { NameError, splitName } from '../../src/schema/part-name.ts'
export { PartSchema } from '../../src/schema/part-schema.ts'
export { decodeFragment, encodeFragment, escapeKey, formatPath, readPointer } from '../../src/schema/pointer.ts'
export {
  type Choice,
  type Elements,
  findByPattern,
  findChoices,
  findLiterals,
  findTarget,
  followReference,
  getElements,
  getProperties,
  getRequired,
  getTypeOf,
  includesType,
  isEqual,
  isOfType,
  listProperties,
  listTypes,
  mapMembers,
  mayMatch,
  type Property,
  schemaMembers,
} from '../../src/schema/reader.ts'
export { firstSentence, formatSignature, formatType, listMarks } from '../../src/schema/signature.ts'
export { findLoss, toValue } from '../../src/schema/text-value.ts'
