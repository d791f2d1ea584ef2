// The official JSON-Schema-Test-Suite, required part, through the validator: both dialects, every test.
// https://github.com/json-schema-org/JSON-Schema-Test-Suite
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import t, { type Test } from 'tap'
import { compile, type Schema } from '../../../src/schema/validator.ts'

/** Where Debian's libtest-json-schema-acceptance-perl puts it; `.ci/run` installs that. */
const DEBIAN = '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests'
/** Of another copy of the suite: its folder `tests`. */
const SUITE = process.env['JSON_SCHEMA_TEST_SUITE'] ?? DEBIAN
const skip = existsSync(SUITE) ? false : 'no JSON-Schema-Test-Suite: install libtest-json-schema-acceptance-perl'

const DIALECTS = {
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
  draft7: 'http://json-schema.org/draft-07/schema#',
}

interface Group {
  readonly description: string
  readonly schema: Schema | boolean
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** What is refused at registration, by design: the text of the refusal, and the files whose schemas may meet it. */
const REFUSED: readonly { readonly text: RegExp; readonly files: readonly string[] }[] = [
  // The suite expects documents that lie elsewhere to be fetched; the specification of MCP forbids it.
  { text: /is not local; nothing is fetched$/, files: ['refRemote', 'dynamicRef'] },
  // Its meta-schemas are such documents; a dialect that is not known cannot be checked.
  { text: /dialect .* is not supported/, files: ['vocabulary'] },
]

/** What the suite says is a note without effect, and is checked here: a string that is not of its `format` is refused. */
const ASSERTED = /^(?!idn-|iri).*: invalid .* is only an annotation by default$/

for (const [folder, dialect] of Object.entries(DIALECTS)) {
  t.test(`${folder}: every required test of the official suite is answered as it says`, { skip }, async t => {
    let count = 0
    for (const path of globSync(`${SUITE}/${folder}/*.json`).sort()) {
      const file = basename(path, '.json')
      for (const group of JSON.parse(readFileSync(path, 'utf8')) as Group[]) {
        count += group.tests.length
        answers(t, dialect, file, group)
      }
    }
    t.ok(count > 800, `${count} tests`)
  })
}

function answers(t: Test, dialect: string, file: string, { schema, description, tests }: Group): void {
  const declared = typeof schema === 'boolean' ? schema : { $schema: dialect, ...schema }
  const validator = compileOrRefuse(t, declared, file, description)
  if (validator === undefined) return
  for (const { data, valid, description: each } of tests) {
    const expected = file === 'format' && ASSERTED.test(`${description}: ${each}`) ? false : valid
    t.equal(validator.isValid(data), expected, `${file}: ${description}: ${each}`)
    t.equal(validator.issues(data).length === 0, expected, `${file}: ${description}: ${each}: its faults agree`)
  }
}

function compileOrRefuse(t: Test, schema: Schema | boolean, file: string, description: string) {
  try {
    return compile(schema)
  } catch (error) {
    const reason = REFUSED.find(({ text }) => text.test((error as Error).message))
    t.ok(reason?.files.includes(file), `${file}: ${description}: ${(error as Error).message}`)
    return undefined
  }
}
