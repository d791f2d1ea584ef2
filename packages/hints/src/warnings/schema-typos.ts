// Finds keywords of JSON Schema that are probably misspelt. They are valid but have no effect, so
// values that should be refused pass.
import { KEYWORDS } from '@toolrack/json-schema/keywords'
import { schemaMembers } from '@toolrack/json-schema/reader'
import { findNearestName } from 'toolrack/text'

const CHECKED = Object.keys({ ...KEYWORDS['draft-07'], ...KEYWORDS['2020-12'] }).filter(name => name.length > 3)

/** Keywords that check nothing, and keywords that other tools add. */
const NOTES: ReadonlySet<string> = new Set(
  [
    '$schema $id $ref $anchor $comment $dynamicRef $dynamicAnchor $vocabulary id title description default examples',
    'deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema nullable example discriminator',
    'xml externalDocs errorMessage enumNames enumDescriptions markdownDescription options order',
  ].flatMap(names => names.split(' ')),
)
/** Keywords whose typo changes the check, or the text for the model. */
const CANDIDATES = [...CHECKED, 'description', 'default', '$schema', '$ref']

/** Keywords of 2019-09, and those that replace them in 2020-12. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['$recursiveRef', '$dynamicRef'],
  ['$recursiveAnchor', '$dynamicAnchor'],
])

/** Maximum number of typos that are named at a time. */
const MAX_FAULTS = 3

/** @returns for each such keyword its place and the right keyword */
export function findSchemaTypos(schema: object): readonly string[] {
  const faults: string[] = []
  const visit = (node: unknown, path: readonly string[], isMap: boolean): void => {
    if (typeof node !== 'object' || node === null || faults.length >= MAX_FAULTS) return
    if (!isMap && !Array.isArray(node)) {
      for (const name of Object.keys(node)) {
        const meant = findMeant(name, node)
        if (meant !== undefined) faults.push(`${[...path, name].join('.')} means nothing; did you mean ${meant}?`)
      }
    }
    for (const member of schemaMembers(node, isMap)) visit(member.value, [...path, member.key], member.isMap)
  }
  visit(schema, [], false)
  return faults.slice(0, MAX_FAULTS)
}

function findMeant(name: string, node: object): string | undefined {
  if (CHECKED.includes(name) || NOTES.has(name) || name.length <= 3 || name.startsWith('x-')) return undefined
  const meant = RENAMED.get(name) ?? findNearestName(name, CANDIDATES)
  return meant === undefined || Object.hasOwn(node, meant) ? undefined : meant
}
