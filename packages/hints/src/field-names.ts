// Finds the field that the author means by an unknown name: a typo, or the name that another
// framework uses.

import type { DefinitionKind } from 'toolrack/definitions'
import { findNearestName, toPlainName } from 'toolrack/text'

type Names = Readonly<Record<string, string>>

/** Names of fields in other frameworks, in lower case without `_` and `-`. */
const FOREIGN_NAMES: Readonly<Record<DefinitionKind | 'any', Names>> = {
  any: {
    ...names('handler', 'execute run callback cb call fn func function invoke implementation action'),
    ...names('description', 'desc doc docs summary help'),
    ...names('title', 'label displayname'),
    ...names('scopes', 'scope permissions roles'),
    ...names('requires', 'env environment requiresenv'),
    ...names('icons', 'icon'),
    ...names('_meta', 'meta metadata tags'),
    ...names('visible', 'canaccess isvisible visibleprompt visibleresource'),
  },
  tool: {
    ...names('name', 'id toolname'),
    ...names('inputSchema', 'parameters params schema input args arguments argsschema paramsschema zodschema'),
    ...names('outputSchema', 'output returns result resultschema returnschema'),
    ...names('timeout', 'timeoutms timeoutmillis deadline'),
    ...names('annotations', 'hints'),
    ...names('annotations.readOnlyHint', 'readonly isreadonly readonlyhint'),
    ...names('annotations.destructiveHint', 'destructive isdestructive destructivehint'),
    ...names('annotations.idempotentHint', 'idempotent isidempotent idempotenthint'),
    ...names('annotations.openWorldHint', 'openworld isopenworld openworldhint'),
    ...names('concurrency', 'maxconcurrency concurrent parallel'),
    ...names('isolate', 'isolated sandbox worker'),
    ...names('rateLimit', 'limit rate throttle'),
    ...names('task', 'tasks longrunning async'),
    ...names('text', 'structureastext textcontent'),
    ...names('onCall', 'middleware middlewares'),
  },
  resource: {
    ...names('name', 'id'),
    ...names('uri', 'url href path'),
    ...names('uriTemplate', 'template'),
    ...names('mimeType', 'mime contenttype mediatype'),
    ...names('handler', 'read load'),
  },
  prompt: {
    ...names('name', 'id'),
    ...names('arguments', 'args argsschema inputschema parameters params schema'),
    ...names('handler', 'messages template render load'),
  },
}

function names(meant: string, others: string): Names {
  return Object.fromEntries(others.split(' ').map(other => [other, meant]))
}

const MAX_LENGTH = 40

/**
 * @param known the fields of the kind
 * @returns undefined if no field is close; a path, such as `annotations.readOnlyHint`, if it is nested
 */
export function findMeantField(kind: DefinitionKind, field: string, known: readonly string[]): string | undefined {
  if (field.length > MAX_LENGTH) return undefined
  const plain = toPlainName(field)
  const same = known.find(each => toPlainName(each) === plain)
  if (same !== undefined) return same
  const foreign = [FOREIGN_NAMES[kind], FOREIGN_NAMES.any].find(each => Object.hasOwn(each, plain))?.[plain]
  if (foreign !== undefined && known.includes(foreign.split('.', 1)[0]!)) return foreign
  return findNearestName(plain, known)
}
