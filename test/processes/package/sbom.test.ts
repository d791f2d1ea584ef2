// The SBOMs: valid, complete, and the same wherever and whenever they are made.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv } from 'ajv'
import t from 'tap'
import { unpackPackage } from '../../support/packed-package.ts'
import { serverProgram } from '../../support/servers/program.ts'
import { tempFolder } from '../../support/tools-folder.ts'

interface Bom {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
  readonly components: readonly {
    readonly 'bom-ref': string
    readonly licenses?: readonly object[]
    readonly properties: readonly { readonly name: string }[]
  }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}
interface Locked {
  readonly version?: string
  readonly dev?: boolean
  readonly link?: boolean
}

serverProgram()
const PACKAGE = 'dist/sbom.cdx.json'
const IMAGE = 'dist/sbom/image.cdx.json'
const BROKER = 'dist/sbom/broker.cdx.json'
const CREATE = 'packages/create/dist/sbom.cdx.json'

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const readBom = (path: string): Bom => readJson(path)
const refsOf = (path: string) => readBom(path).components.map(component => component['bom-ref'])
const toRef = (path: string, { version }: Locked) => `${path.replace(/^.*node_modules\//, '')}@${version}`

const locked = Object.entries<Locked>(readJson('package-lock.json').packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
)

/** The packages of which dist/ has code, by the licences that ship with it. */
const bundled = [...readFileSync('dist/LICENSES.txt', 'utf8').matchAll(/^(\S+) (\d\S*) \(.+\)$/gm)].map(
  ([, name, version]) => `${name}@${version}`,
)

function makeBroker(folder: string, env: Readonly<Record<string, string>> = {}): void {
  const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } } as const
  const { status, stderr } = spawnSync('node', ['scripts/sbom.ts'], options)
  if (status !== 0) throw new Error(stderr)
}
makeBroker('.')

const spec = (name: string) => readJson(`test/support/spec/cyclonedx/${name}`)
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(spec('spdx.schema.json'), 'http://cyclonedx.org/schema/spdx.schema.json')
ajv.addSchema(spec('jsf-0.82.schema.json'), 'http://cyclonedx.org/schema/jsf-0.82.schema.json')
const validate = ajv.compile(spec('bom-1.5.schema.json'))

for (const path of [PACKAGE, IMAGE, BROKER, CREATE]) {
  t.test(`${path}: fits the official schema, and each package has a licence`, async t => {
    const { components, dependencies } = readBom(path)
    const refs = components.map(component => component['bom-ref'])

    t.ok(validate(readJson(path)), ajv.errorsText(validate.errors))
    t.equal(new Set(refs).size, refs.length)
    for (const { licenses, 'bom-ref': ref } of components) t.ok(licenses?.length, ref)
    for (const { ref, dependsOn } of dependencies.slice(1))
      for (const each of [ref, ...dependsOn]) t.ok(refs.includes(each), each)
  })

  t.test(
    `${path}: has no chance number, time, path or registry in it, and calls nothing a package for development`,
    async t => {
      const text = readFileSync(path, 'utf8')

      for (const found of ['serialNumber', 'timestamp', '"distribution"', ':development', resolve('.'), 'file:']) {
        t.notOk(text.includes(found), found)
      }
    },
  )
}

t.test('a document that is not CycloneDX fails', async t => {
  t.notOk(validate({ ...readBom(PACKAGE), components: [{ name: 'x' }] }))
})

t.test('that of the image has what npm prune leaves and what is bundled, and nothing else', async t => {
  // As test/processes/deploy/image.ts, by the flags of the lockfile.
  const left = locked.filter(([, { dev }]) => !dev).map(([path, entry]) => toRef(path, entry))

  t.ok(bundled.length > 50, String(bundled.length))
  t.strictSame(new Set(refsOf(IMAGE)), new Set([...left, ...bundled]))
})

t.test('that of the package has its dependencies, with theirs, and what is bundled', async t => {
  const { dependencies, version } = readJson('package.json')
  const { components, metadata, dependencies: graph } = readBom(PACKAGE)
  const refs = new Set(refsOf(PACKAGE))
  const names = new Set([...refs].map(ref => ref.replace(/@[^@]*$/, '')))
  const isBundled = components.filter(({ properties }) => properties.some(({ name }) => name.endsWith(':bundled')))

  t.match(metadata.component, { name: 'toolrack', version })
  for (const name of Object.keys(dependencies)) t.ok(names.has(name), name)
  for (const ref of bundled) t.ok(refs.has(ref), ref)
  for (const name of ['typescript', 'tap', 'esbuild', 'bullmq', 'oidc-provider']) t.notOk(names.has(name), name)
  for (const component of isBundled) t.ok(bundled.includes(component['bom-ref']), component['bom-ref'])
  // Whatever is in it is there since something else in it needs it.
  const needed = new Set(graph.flatMap(({ dependsOn }) => dependsOn))
  t.strictSame(
    [...refs].filter(ref => !needed.has(ref)),
    [],
  )
})

t.test('the packages have theirs, and not that of the image', async t => {
  for (const [source, path] of [
    ['.', PACKAGE],
    ['packages/create', 'dist/sbom.cdx.json'],
  ] as const) {
    const folder = unpackPackage(t, tempFolder(t).path, source)
    t.ok(existsSync(join(folder, path)), source)
    t.notOk(existsSync(join(folder, 'dist/sbom')), source)
  }
})

t.test('another folder and another environment make the same, from what the broker image copies', async t => {
  const folder = join(tempFolder(t).path, 'elsewhere')
  const { workspaces } = readJson('package.json') as { workspaces: readonly string[] }
  const manifests = globSync(workspaces.map(workspace => `${workspace}/package.json`))
  for (const path of ['package.json', 'package-lock.json', 'scripts/sbom.ts', ...manifests])
    cpSync(path, join(folder, path))

  makeBroker(folder, { NODE_ENV: 'production', npm_config_omit: 'optional' })

  t.equal(readFileSync(join(folder, BROKER), 'utf8'), readFileSync(BROKER, 'utf8'))
  t.ok(refsOf(BROKER).some(ref => ref.startsWith('oidc-provider@')))
})
