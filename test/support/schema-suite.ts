// The official JSON-Schema-Test-Suite, required part.
// https://github.com/json-schema-org/JSON-Schema-Test-Suite
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Schema } from '../../packages/json-schema/src/validator.ts'

/** Where Debian's libtest-json-schema-acceptance-perl puts it; `.ci/run` installs that. */
const DEBIAN = '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests'
/** Of another copy of the suite: its folder `tests`. */
const SUITE = process.env['JSON_SCHEMA_TEST_SUITE'] ?? DEBIAN

/** Why tests with the suite are skipped. */
export const skip = existsSync(SUITE) ? false : 'no JSON-Schema-Test-Suite: install libtest-json-schema-acceptance-perl'

/** The folders of the suite, and the dialect of each. */
export const DIALECTS = {
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
  draft7: 'http://json-schema.org/draft-07/schema#',
}

export interface Group {
  readonly file: string
  readonly description: string
  readonly schema: Schema | boolean
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

export function readGroups(folder: string): Group[] {
  return globSync(`${SUITE}/${folder}/*.json`)
    .sort()
    .flatMap(path => {
      const groups = JSON.parse(readFileSync(path, 'utf8')) as Omit<Group, 'file'>[]
      return groups.map(group => ({ file: basename(path, '.json'), ...group }))
    })
}
