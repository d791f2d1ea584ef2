// The official JSON-Schema-Test-Suite, required part, through the validator: both dialects, every test.
// https://github.com/json-schema-org/JSON-Schema-Test-Suite
import t, { type Test } from 'tap'
import { DIALECTS, type Group, readGroups, skip } from '../../../test/support/schema-suite.ts'
import { compile, type Schema } from '../src/validator.ts'

/** What is refused at registration, by design: the text of the refusal, and the files whose schemas may meet it. */
const REFUSED: readonly { readonly text: RegExp; readonly files: readonly string[] }[] = [
  // The suite expects documents that lie elsewhere to be fetched; the specification of MCP forbids it.
  { text: /is not local; nothing is fetched/, files: ['refRemote', 'dynamicRef'] },
  // Its meta-schemas are such documents; a dialect that is not known cannot be checked.
  { text: /dialect .* is not supported/, files: ['vocabulary'] },
]

/** What the suite says is a note without effect, and is checked here: a string that is not of its `format` is refused. */
const ASSERTED = /^(?!idn-|iri).*: invalid .* is only an annotation by default$/

for (const [folder, dialect] of Object.entries(DIALECTS)) {
  t.test(`${folder}: every required test of the official suite is answered as it says`, { skip }, async t => {
    let count = 0
    for (const group of readGroups(folder)) {
      count += group.tests.length
      answers(t, dialect, group)
    }
    t.ok(count > 800, `${count} tests`)
  })
}

function answers(t: Test, dialect: string, { file, schema, description, tests }: Group): void {
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
