// The walls of packages: what each may import, who may name it, and what it says of itself.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

const IMPORT = /^(?:import|export) (type )?(?:[^'"]*? from )?'([^']+)'|import\('([^']+)'\)/gm
/** Re-exports what `toolrack` and its kits have: nothing else may know files of the core. */
const KITS = 'packages/toolrack'
/** Imports nothing of Toolrack, and may be imported by the core, too: it knows no request. */
const LIBRARY = 'packages/json-schema'
const IN_LIBRARY = /^@toolrack\/json-schema\/([a-z0-9-]+)$/
/** Programs that are published, or built into images, of their own. */
const OWN_PROGRAMS = ['packages/broker', 'packages/create']

interface Imported {
  readonly name: string
  readonly isType: boolean
  /** By `import()`, once it is needed. */
  readonly isLate: boolean
}

const readImports = (file: string): readonly Imported[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, type, early, late]) => ({
    name: early ?? late!,
    isType: type !== undefined,
    isLate: late !== undefined,
  }))

const toPath = (file: string, { name }: Imported) => normalize(join(dirname(file), name))
const toPackage = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
const readManifest = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const packages = globSync('packages/*/package.json').map(dirname).sort()
const walled = packages.filter(folder => folder !== KITS)
const core = globSync(['src/**/*.ts', 'plugins/**/*.ts', 'routes/**/*.ts'])
/** Their texts are code of clients, which imports what its author has. */
const SNIPPETS = 'packages/console/src/clients/**'
const findSources = (folder: string) =>
  globSync([`${folder}/src/**/*.ts`, `${folder}/app/**/*.{ts,tsx}`], { exclude: ['**/node_modules/**', SNIPPETS] })
const kits = new Map(globSync(`${KITS}/*.ts`).map(file => [file.slice(KITS.length + 1, -3), file]))

t.test('a package imports its own files, toolrack and its kits', async t => {
  for (const folder of walled) {
    const own = readManifest(folder).name as string
    for (const file of findSources(folder)) {
      for (const imported of readImports(file)) {
        const { name } = imported
        if (name.startsWith('.')) t.ok(toPath(file, imported).startsWith(`${folder}/`), `${file} imports ${name}`)
        if (name.startsWith('toolrack/')) t.ok(kits.has(name.slice('toolrack/'.length)), `${file} imports ${name}`)
        t.ok(!name.startsWith('@toolrack/') || IN_LIBRARY.test(name), `${file}, of ${own}, imports ${name}`)
      }
    }
  }
})

t.test('the core names packages in src/compose.ts, and imports them once they are needed', async t => {
  const named = core.flatMap(file =>
    readImports(file)
      .filter(
        ({ name }) =>
          (/^@?toolrack(?:\/|$)/.test(name) && !IN_LIBRARY.test(name)) ||
          toPath(file, { name } as Imported).startsWith('packages/'),
      )
      .map(imported => ({ file, ...imported })),
  )

  t.ok(named.length > 0)
  for (const { file, name, isLate } of named) {
    t.equal(file, 'src/compose.ts', name)
    t.ok(isLate, `${name} is imported when it is needed`)
  }
})

t.test('a package lists what it imports, in the versions of the server', async t => {
  const root = readManifest('.')
  const versions = { ...root.devDependencies, ...root.peerDependencies, ...root.dependencies }
  for (const folder of [...walled]) {
    const { dependencies = {}, devDependencies = {} } = readManifest(folder)
    const listed: Record<string, string> = { ...devDependencies, ...dependencies }
    const imports = findSources(folder).flatMap(file => readImports(file).map(({ name }) => name))
    const foreign = new Set(
      imports.filter(name => !/^(?:\.|@?toolrack(?:\/|$))/.test(name) && !isBuiltin(name)).map(toPackage),
    )

    for (const name of foreign) t.ok(name in listed, `${folder} imports ${name}`)
    for (const [name, version] of Object.entries(listed))
      t.equal(version, versions[name] ?? version, `${folder} has the version of ${name} that the server has`)
  }
})

t.test('a kit that is not published has only what packages use', async t => {
  const published = Object.values<{ types?: string }>(readManifest('.').exports).map(({ types }) => types)
  const sources = walled.flatMap(findSources).map(file => readFileSync(file, 'utf8'))
  for (const [kit, file] of kits) {
    if (['index', 'testing'].includes(kit) || published.includes(`./dist/${KITS}/${kit}.d.ts`)) continue
    const importers = sources.filter(text => text.includes(`'toolrack/${kit}'`))
    const exported = [...readFileSync(file, 'utf8').matchAll(/export (?:type )?\{([^}]*)\}/g)]
      .flatMap(([, names]) => names!.split(','))
      .map(name => name.trim().replace(/^type /, ''))
      .filter(Boolean)

    t.ok(exported.length > 0, kit)
    for (const name of exported)
      t.ok(
        importers.some(text => new RegExp(`\\b${name}\\b`).test(text)),
        `toolrack/${kit} has ${name} for somebody`,
      )
  }
})

t.test('each package says what it is in a README of a few lines, and has the sources of one', async t => {
  for (const folder of packages) {
    const { name, description, private: isPrivate, license } = readManifest(folder)
    t.ok(description && license, folder)
    if (!OWN_PROGRAMS.includes(folder)) t.ok(isPrivate, `${name} is published as a part of toolrack`)
    t.ok(existsSync(join(folder, 'README.md')), `${folder} has a README`)
    if (folder !== KITS) t.ok(findSources(folder).length > 0, folder)
  }
})

t.test('a library imports nothing of Toolrack', async t => {
  const imported = findSources(LIBRARY).flatMap(readImports)

  t.strictSame(
    imported.filter(({ name }) => /^@?toolrack(?:\/|$)/.test(name)),
    [],
  )
})

/** Code of a browser may not import Node, also by way of others. */
t.test('the console in the browser imports only what runs there', async t => {
  const files = globSync('packages/console/app/src/**/*.{ts,tsx}')
  t.ok(files.length > 50)
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const imported of readImports(file).filter(({ isType }) => !isType)) {
      t.notOk(isBuiltin(imported.name), `${file} imports ${imported.name}`)
      if (imported.name.startsWith('.')) visit(toPath(file, imported))
      else if (imported.name.startsWith('toolrack/')) visit(kits.get(imported.name.slice('toolrack/'.length))!)
      const [, inLibrary] = IN_LIBRARY.exec(imported.name) ?? []
      if (inLibrary !== undefined) visit(`${LIBRARY}/src/${inLibrary}.ts`)
    }
  }
  for (const file of files) visit(file)
})

t.test('the lockfile has each package, which `npm install` links', async t => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  for (const folder of packages) t.ok(lock.packages[folder], `${folder}: run npm install`)
})
