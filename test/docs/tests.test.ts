// No test is left out: each file is run by one of the commands that `.ci/run` calls, and by one only.
import { globSync, readFileSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import t from 'tap'
import { findTests, RUNNER } from '../support/run-folder.ts'

const { scripts, tap } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>
  tap: { include: string[]; exclude: string[] }
}

/** What a script names behind `tap run` and its options. */
const argumentsOf = (script: string) =>
  scripts[script]!.replaceAll("'", '')
    .split(' ')
    .filter(word => /^(?:test|packages)\//.test(word))

const started: Readonly<Record<string, string[]>> = {
  test: globSync(tap.include, { exclude: tap.exclude }),
  'test:slow': globSync(argumentsOf('test:slow')),
  'test:clients': globSync(argumentsOf('test:clients')),
}

const runBy = (file: string) =>
  basename(file) === RUNNER ? findTests(resolve(file)).map(each => relative(process.cwd(), each)) : [file]

t.test('every test file is run, and once', async t => {
  const run = Object.values(started).flat().flatMap(runBy)
  const all = globSync('{test,packages/*/test}/**/*.test.ts', { exclude: ['**/node_modules/**'] })

  t.strictSame(run.sort(), all.filter(file => basename(file) !== RUNNER).sort())
})

t.test('every command runs something, and CI runs every command', async t => {
  const ci = readFileSync('.ci/run', 'utf8')
  for (const [script, files] of Object.entries(started)) {
    t.ok(files.length > 0, script)
    t.ok(new RegExp(`npm (?:run )?${script}(?![:\\w])`).test(ci), `.ci/run runs ${script}`)
  }
})

t.test('every file is a runner that reads its folder, or speaks for itself', async t => {
  for (const file of globSync(`{test,packages/*/test}/**/${RUNNER}`)) {
    t.match(
      readFileSync(file, 'utf8'),
      /^import \{ runFolder \} from '[./]+\/(?:test\/)?support\/run-folder\.ts'\n\nawait runFolder\(/,
    )
    t.ok(findTests(resolve(file)).length > 0, `${file} has something to run`)
  }
})
