// Writes SBOMs (CycloneDX) of all that ships. `npm ls` lists the packages that ship, and `npm sbom` describes them.
// `npm sbom --omit dev` alone would miss each package that a development dependency needs as well.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

interface Component {
  readonly 'bom-ref': string
  readonly externalReferences?: readonly { readonly type: string; readonly url: string }[]
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}
interface Bom {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}
interface Listed {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, Listed>>
}

interface Subject {
  readonly file: string
  readonly folder: string
  readonly type: 'application' | 'container'
  /** Which packages `npm ls` counts: none of the workspaces, all of them, or one. */
  readonly workspaces: readonly string[]
}
const SUBJECTS = {
  package: { file: 'dist/sbom.cdx.json', folder: '.', type: 'application', workspaces: ['--workspaces=false'] },
  // `npm prune --omit=dev` leaves what any workspace needs.
  image: { file: 'dist/sbom/image.cdx.json', folder: '.', type: 'container', workspaces: [] },
  create: {
    file: 'packages/create/dist/sbom.cdx.json',
    folder: 'packages/create',
    type: 'application',
    workspaces: ['--workspace=create-toolrack'],
  },
  broker: {
    file: 'dist/sbom/broker.cdx.json',
    folder: 'packages/broker',
    type: 'container',
    workspaces: ['--workspace=packages/broker'],
  },
} satisfies Record<string, Subject>

/** @param bundled for each subject, the folders of packages whose code is in its own files */
export function writeSboms(bundled: { readonly [Name in keyof typeof SUBJECTS]?: readonly string[] }): void {
  const all = describeAll()
  for (const [name, folders] of Object.entries(bundled)) {
    const subject = SUBJECTS[name as keyof typeof SUBJECTS]
    mkdirSync(dirname(subject.file), { recursive: true })
    writeFileSync(subject.file, `${JSON.stringify(createSbom(all, subject, folders.map(readRef)), null, 2)}\n`)
  }
}

function readRef(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  return `${name}@${version}`
}

/** Without anything that another machine or another day would change: npm adds a number by chance, and the time. */
function createSbom(all: Bom, { folder, type, workspaces }: Subject, bundled: readonly string[]) {
  const { name, version, description, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const { direct, shipped } = listShipped(workspaces)
  const known = new Map(all.components.map(component => [component['bom-ref'], component]))
  const missing = [...shipped, ...bundled].filter(ref => !known.has(ref))
  if (missing.length > 0) throw new Error(`npm sbom does not describe ${missing.join(', ')}: run npm install`)

  const refs = [...known.keys()].filter(ref => shipped.has(ref) || bundled.includes(ref))
  const root = readRef(folder)
  const inDist = bundled.filter(ref => !shipped.has(ref))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      tools: [{ vendor: 'npm', name: 'cli' }],
      component: {
        'bom-ref': root,
        type,
        name,
        version,
        description,
        licenses: [{ license: { id: license } }],
        purl: `pkg:npm/${root}`,
      },
    },
    components: refs.map(ref => toShipped(known.get(ref)!, inDist.includes(ref))),
    dependencies: [
      { ref: root, dependsOn: [...new Set([...direct, ...inDist])].sort() },
      ...all.dependencies
        .filter(({ ref }) => refs.includes(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(each => refs.includes(each)) })),
    ],
  }
}

/** What npm knows of each package of the lockfile. */
function describeAll(): Bom {
  return runNpm('sbom', '--sbom-format=cyclonedx', '--include=dev')
}

/** The name and version of what ships beside the code: of workspaces, what they depend on. */
function listShipped(workspaces: readonly string[]): { direct: Set<string>; shipped: Set<string> } {
  const direct = new Set<string>()
  const shipped = new Set<string>()
  const own = new Set(readWorkspaces())
  const visit = ({ dependencies = {} }: Listed, isDirect: boolean) => {
    for (const [name, listed] of Object.entries(dependencies)) {
      const isOwn = own.has(name)
      // A package for another system is listed without a version.
      if (!isOwn && listed.version !== undefined) {
        const ref = `${name}@${listed.version}`
        shipped.add(ref)
        if (isDirect) direct.add(ref)
      }
      visit(listed, isOwn)
    }
  }
  visit(runNpm('ls', '--omit=dev', '--all', '--json', ...workspaces), true)
  return { direct, shipped }
}

function readWorkspaces(): string[] {
  const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as { workspaces: string[] }
  const folders = globSync(workspaces.map(each => `${each}/package.json`)).map(dirname)
  return folders.map(folder => readRef(folder).replace(/@[^@]+$/, ''))
}

/** Of the lockfile, so that what one machine happens to have installed changes nothing. */
function runNpm(...args: readonly string[]) {
  const options = ['--package-lock-only', '--include=optional', '--include=peer']
  const maxBuffer = 64 * 1024 * 1024
  return JSON.parse(execFileSync('npm', [...args, ...options], { encoding: 'utf8', maxBuffer }))
}

/**
 * `distribution` would name the registry that a lockfile was written with. npm calls what the root
 * needs for development a package for development, also if a workspace ships it.
 */
function toShipped({ externalReferences = [], properties = [], ...component }: Component, isBundled: boolean) {
  return {
    ...component,
    properties: isBundled
      ? [{ name: 'cdx:npm:package:bundled', value: 'true' }]
      : properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
    externalReferences: externalReferences.filter(({ type }) => type !== 'distribution'),
  }
}

// The image of the broker is made without a build.
if (import.meta.main) writeSboms({ broker: [] })
