// Imports of the core go down only, and never sideways between rooms of one floor. docs/explain/architecture.md
// has the table of rooms. test/docs/packages.test.ts has the walls of packages.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

/** From the lowest. A room is a folder; at the root of src/ each file is one. */
const FLOORS: readonly (readonly string[])[] = [
  ['src/text'],
  ['src/protocol'],
  ['src/request'],
  ['src/auth'],
  ['src/state'],
  ['src/registry'],
  ['src/config'],
  ['src/input'],
  ['src/execution'],
  ['src/transport'],
  ['src/observability'],
  ['src/tasks'],
  ['src/methods', 'src/open', 'src/legacy'],
  ['src/dispatch.ts', 'src/credentials.ts'],
  ['src/doors'],
  ['src/definition-sources.ts'],
  ['src/runtime.ts'],
  ['plugins'],
  ['routes'],
  ['src/toolrack.ts', 'src/compose.ts'],
  ['src/app.ts'],
  ['src/index.ts'],
  ['src/server.ts'],
]

const IMPORT = /^(?:import|export) (?:[^'"]*? from )?'([^']+)'|import\('([^']+)'\)/gm
/** What a text names may be imported by its URL, whatever the code does with it until then. */
const NAMED_FILE = /'(\.{1,2}\/[\w./-]+\.ts)'/g

const files = globSync(['src/**/*.ts', 'plugins/**/*.ts', 'routes/**/*.ts'])

function findRoom(file: string): string {
  const [top, next] = file.split('/')
  return top === 'src' ? `${top}/${next}` : top!
}

function findFloor(room: string): number {
  const floor = FLOORS.findIndex(rooms => rooms.includes(room))
  if (floor === -1) throw new Error(`${room} is on no floor; give it one here and in docs/explain/architecture.md`)
  return floor
}

const readImports = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(found => found[1] ?? found[2]!)

const toPath = (file: string, name: string) => normalize(join(dirname(file), name))

const readNamedFiles = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(NAMED_FILE)].map(([, name]) => toPath(file, name!)).filter(isSource)

const isSource = (path: string) => files.includes(path)

const readLocalImports = (file: string) => {
  const imported = readImports(file).filter(name => name.startsWith('.'))
  const targets = imported.map(name => toPath(file, name)).filter(path => !path.startsWith('packages/'))
  return [...new Set([...targets, ...readNamedFiles(file)])]
}

t.test('every room that has a floor exists', async t => {
  const rooms = new Set(files.map(findRoom))
  t.strictSame(
    FLOORS.flat().filter(room => !rooms.has(room)),
    [],
  )
})

t.test('imports go down only', async t => {
  for (const file of files) {
    const here = findRoom(file)
    for (const target of readLocalImports(file)) {
      const there = findRoom(target)
      t.ok(there === here || findFloor(there) < findFloor(here), `${file} imports ${target}`)
    }
  }
})

t.test('what is imported by a variable is a tool file, or what the caller passes in', t => {
  const all = [...files, ...globSync('packages/*/src/**/*.ts')]
  const importers = all.filter(file => /(?:await|return|=>) import\((?!')/.test(readFileSync(file, 'utf8')))

  t.strictSame(importers, ['packages/folder/src/modules.ts'])
  t.end()
})

t.test('no file imports itself by way of others', async t => {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    else if (!done.has(file)) for (const target of readLocalImports(file)) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])

  t.strictSame(circles, [])
  t.equal(done.size, files.length)
})

t.test('Fastify appears in the routes, the plugins, the transport, the doors and what makes a server', async t => {
  // A way of access checks what the guard got.
  const seams = ['src/auth/access-way.ts']
  for (const file of files.filter(name => readImports(name).includes('fastify') && !seams.includes(name))) {
    t.match(findRoom(file), /^(?:plugins|routes|src\/doors|src\/transport|src\/(?:app|run-server)\.ts)$/, file)
  }
})

t.test('Ajv is known to @toolrack/json-schema, not to the core', async t => {
  const importers = files.filter(file => readImports(file).some(name => /^ajv(?:\/|$)/.test(name)))

  t.strictSame(importers, [])
})

t.test('what serves every door knows none of them', async t => {
  const readers = ['src/config/doors.ts', 'src/config/rules.ts', 'src/config/access.ts']
  const others = ['packages/start-up/src/rows.ts', 'packages/audit/src/audit.ts', 'src/runtime.ts', 'src/app.ts']
  for (const file of [...readers, ...others, 'routes/index.ts', 'routes/doors.ts', 'plugins/errors.ts'])
    t.notMatch(readFileSync(file, 'utf8'), /console|plain.?http|http.?sse|'\/(?:tools|sse)\b/i, file)
})
