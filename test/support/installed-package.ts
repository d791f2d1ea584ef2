// The packages as a user has them: packed, and installed by npm in projects of their own, to be run
// by each Node that they support.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { MIN_NODE } from '../../src/config/node-version.ts'
import { packedArchive, packedEnv } from './packed-archive.ts'

export interface Node {
  readonly version: string
  readonly path: string
}

export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const TIMEOUT_MS = 300_000
/** Packages with one file of Node each, and no install script. Kept between runs, beside what CI keeps. */
const NODES = resolve('node_modules/.cache/toolrack/nodes')

/** Runs a program in `folder`, with `node` first in the path. */
export function run({ path }: Node, folder: string, [program = '', ...args]: readonly string[]): Ran {
  const env = { ...packedEnv, PATH: [dirname(path), packedEnv.PATH].join(delimiter) }
  return spawnSync(program, args, { cwd: folder, env, encoding: 'utf8', timeout: TIMEOUT_MS })
}

/** The Node that runs the tests. */
export const THIS_NODE: Node = { version: process.versions.node, path: process.execPath }

/** The oldest Node that the package supports: npm brings it the first time. */
export function findOldestNode(): Node {
  const version = `${MIN_NODE}.0`
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(NODES, version)
  const path = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(path)) install(process.cwd(), ['--prefix', folder, '--no-save', `${name}@${version}`])
  return { version, path }
}

/** @throws Error with what npm says, if it fails */
function install(folder: string, args: readonly string[]): Ran {
  const ran = run(THIS_NODE, folder, ['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...args])
  if (ran.status !== 0) throw new Error(`npm install ${args.join(' ')}: ${ran.stdout}${ran.stderr}`)
  return ran
}

/** A folder of this process alone. */
const base = mkdtempSync(join(tmpdir(), 'toolrack-installed-'))
process.on('exit', () => rmSync(base, { recursive: true, force: true }))

export interface Installed extends Ran {
  readonly folder: string
}

/** A project that has nothing but the package, these files, and these packages beside it. */
export function installAlone(
  name: string,
  files: Readonly<Record<string, string>> = {},
  packages: readonly string[] = [],
): Installed {
  const folder = mkdtempSync(join(base, `${name}-`))
  for (const [file, text] of Object.entries({ 'package.json': '{"private":true}', ...files }))
    writeFileSync(join(folder, file), text)
  return { folder, ...install(folder, [packedArchive(), ...packages]) }
}

/** What `npm create toolrack` makes, with the packed package in the place of the published one. */
export function createProject(name: string): Installed {
  const parent = mkdtempSync(join(base, 'created-'))
  // What npm does for `npm create`.
  const args = [
    'exec',
    '--yes',
    '--prefer-offline',
    `--package=${packedArchive('packages/create')}`,
    '--',
    'create-toolrack',
    name,
  ]
  const made = run(THIS_NODE, parent, ['npm', ...args])
  if (made.status !== 0) throw new Error(`npm create: ${made.stdout}${made.stderr}`)
  const folder = join(parent, name)
  return { folder, ...install(folder, [packedArchive()]) }
}
