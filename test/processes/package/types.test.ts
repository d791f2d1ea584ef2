// The types of the package as a user has them: in a project that `tsc --init` has made, with each
// schema library, checked by the compilers that are in use. What must not compile is in the files,
// behind `@ts-expect-error`.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { installAlone, run, THIS_NODE } from '../../support/installed-package.ts'

const SOURCES = 'test/support/typed-project'
const names = readdirSync(SOURCES)

const readSources = (wanted: readonly string[]) =>
  Object.fromEntries(wanted.map(name => [name, readFileSync(join(SOURCES, name), 'utf8')]))

/** Of this repository, in the version that its lockfile has. */
const pinned = (name: string): string => {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
  return `${name}@${version}`
}

/** By the names under which they are installed. */
const COMPILERS = { 'typescript-5': 'typescript@5.9.3', 'typescript-7': pinned('typescript') }
const compilers = Object.entries(COMPILERS).map(([name, version]) => `${name}@npm:${version}`)
const nodeTypes = pinned('@types/node')
const libraries = ['zod', 'valibot', '@valibot/to-json-schema', 'arktype', 'typebox'].map(pinned)

const PACKAGE = { 'package.json': '{ "private": true, "type": "module" }' }
const full = installAlone('typed', { ...PACKAGE, ...readSources(names) }, [
  ...compilers,
  nodeTypes,
  'fastify',
  ...libraries,
])

/** Those that need no library beside the package. */
const OWN = ['equal.ts', 'typebox.ts', 'json-schema.ts', 'prompts.ts', 'resources.ts', 'questions.ts', '_hooks.ts']
/** Another TypeBox, as other packages bring it, so that ours is below the package. */
const OTHER_TYPEBOX = '@sinclair/typebox@0.33.22'
const own = installAlone('typed-alone', { ...PACKAGE, ...readSources(OWN) }, [...compilers, OTHER_TYPEBOX])

for (const compiler of Object.keys(COMPILERS)) {
  const tsc = (folder: string, ...args: readonly string[]) =>
    run(THIS_NODE, folder, ['node', `node_modules/${compiler}/bin/tsc`, ...args])

  /** As the compiler writes it. It emits declarations, so every type has to have a name. */
  const init = (folder: string) => {
    rmSync(join(folder, 'tsconfig.json'), { force: true })
    return tsc(folder, '--init')
  }
  const emit = ['-p', 'tsconfig.json', '--rootDir', '.', '--outDir', `out-${compiler}`]

  t.test(`${compiler}: a project that tsc --init has made compiles, with each library`, async t => {
    t.match(init(full.folder), { status: 0 })
    t.match(readFileSync(join(full.folder, 'tsconfig.json'), 'utf8'), /"exactOptionalPropertyTypes": true/)

    t.match(tsc(full.folder, ...emit, '--types', 'node'), { status: 0, stdout: '' })

    const declared = readFileSync(join(full.folder, `out-${compiler}/zod.d.ts`), 'utf8')
    t.match(declared, /import\("toolrack"\)\.ToolDefinition</)
    t.notMatch(declared, /toolrack\/dist/)
  })

  t.test(`${compiler}: beside another TypeBox, without any library and the types of Node`, async t => {
    t.match(init(own.folder), { status: 0 })

    t.match(tsc(own.folder, ...emit), { status: 0, stdout: '' })
  })

  // The older one takes half a minute for what the newer says as well.
  if (compiler !== 'typescript-7') continue

  t.test(`${compiler}: the declarations are whole: nothing of them is skipped`, async t => {
    init(full.folder)

    const { stdout } = tsc(full.folder, ...emit, '--types', 'node', '--skipLibCheck', 'false')

    t.strictSame(
      stdout.split('\n').filter(line => /^(?:node_modules\/toolrack\/|[\w-]+\.ts)/.test(line)),
      [],
    )
  })

  t.test(`${compiler}: options that are not strict change nothing`, async t => {
    init(full.folder)
    const options = ['--exactOptionalPropertyTypes', 'false', '--noUncheckedIndexedAccess', 'false']

    t.match(
      tsc(
        full.folder,
        ...emit,
        '--types',
        'node',
        ...options,
        '--noEmit',
        '--module',
        'esnext',
        '--moduleResolution',
        'bundler',
      ),
      {
        status: 0,
        stdout: '',
      },
    )
  })
}
