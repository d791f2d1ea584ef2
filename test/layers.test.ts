// Imports go down only, and never sideways between rooms of one floor. docs/design.md draws the house.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

const FLOORS: readonly (readonly string[])[] = [
  ['src/addresses.ts', 'src/outcome-kind.ts', 'src/pattern/', 'src/protocol/', 'src/scopes.ts'],
  [
    'src/access-settings.ts',
    'src/answer.ts',
    'src/cancellation.ts',
    'src/chain.ts',
    'src/environment.ts',
    'src/json-size.ts',
    'src/misspelt.ts',
    'src/node-version.ts',
    'src/package.ts',
    'src/path-settings.ts',
    'src/request-ids.ts',
    'src/retry.ts',
    'src/schema-bounds.ts',
    'src/schema-faults.ts',
    'src/seal.ts',
    'src/setting-readers.ts',
    'src/silence.ts',
  ],
  ['src/schema/'],
  ['src/config.ts', 'src/inflight.ts', 'src/session.ts', 'src/unsent-bytes.ts', 'src/validator.ts'],
  ['src/exchange.ts', 'src/params.ts', 'src/public-url.ts'],
  ['src/access-rules.ts', 'src/refusal-log.ts', 'src/slow-calls.ts', 'src/telemetry.ts'],
  ['src/task.ts'],
  ['src/task-steps.ts'],
  ['src/access/'],
  ['src/registry/', 'src/state/'],
  ['src/input/'],
  ['src/execution/'],
  ['src/isolation/'],
  ['src/audit/', 'src/metrics/'],
  ['src/tracing/'],
  ['src/tasks/'],
  ['src/methods/', 'src/modern/', 'src/legacy/'],
  ['src/client-limits.ts', 'src/dispatch.ts', 'src/transport/'],
  ['plugins/', 'routes/'],
  [
    'src/http-options.ts',
    'src/logger.ts',
    'src/open-state.ts',
    'src/plan.ts',
    'src/process-hold.ts',
    'src/share-changes.ts',
    'src/unknown-paths.ts',
  ],
  ['src/services.ts'],
  ['src/assemble.ts'],
  ['src/gauges.ts', 'src/mount-metrics.ts', 'src/mount-routes.ts', 'src/start-up.ts'],
  ['src/face.ts'],
  ['src/app.ts'],
  ['src/index.ts', 'src/serve.ts'],
  ['src/command-line.ts'],
  ['src/server.ts'],
]

const IMPORT = /^(?:import|export) (?:[^'"]*? from )?'([^']+)'|import\('([^']+)'\)/gm

function placeOf(file: string): { floor: number; room: string } {
  for (const [floor, rooms] of FLOORS.entries()) {
    const room = rooms.find(name => (name.endsWith('/') ? file.startsWith(name) : file === name))
    if (room !== undefined) return { floor, room }
  }
  throw new Error(`${file} is on no floor; give it one in test/layers.test.ts and docs/design.md`)
}

const files = globSync(['src/**/*.ts', 'plugins/*.ts', 'routes/**/*.ts'])
const importsOf = (file: string) => [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(found => found[1] ?? found[2]!)

t.test('imports go down only', async t => {
  for (const file of files) {
    const here = placeOf(file)
    for (const target of importsOf(file).filter(name => name.startsWith('.'))) {
      const path = normalize(join(dirname(file), target))
      const there = placeOf(path)
      t.ok(there.floor < here.floor || there.room === here.room, `${file} imports ${path}`)
    }
  }
})

t.test('Fastify appears in the routes, the plugins, the transport and above only', async t => {
  for (const file of files.filter(name => importsOf(name).includes('fastify'))) {
    t.match(
      file,
      /^(?:plugins|routes|src\/transport)\/|^src\/(?:app|mount-metrics|mount-routes|process-hold|serve)\.ts$/,
    )
  }
})

t.test('Ajv is known to the room of schemas, and to what tells its errors', async t => {
  const importers = files.filter(file => importsOf(file).some(name => /^ajv(?:\/|$)/.test(name)))

  t.strictSame(
    importers.filter(file => !file.startsWith('src/schema/')),
    ['src/schema-faults.ts'],
  )
})
