// The archive that npm makes of a package of this repository: packed once for each content, since that takes npm seconds.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { devNull } from 'node:os'
import { join, resolve } from 'node:path'
import { serverProgram } from './servers/program.ts'

/** Without what tap has every child load, and without settings of whoever runs the tests; npm asks no registry for news. */
export const packedEnv = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  // A network may have certificates of its own.
  NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'],
  CI: '',
  npm_config_userconfig: devNull,
  npm_config_update_notifier: 'false',
  npm_config_logs_max: '0',
}

/** In node_modules: whoever installs anew packs anew. */
const KEPT = resolve('node_modules/.cache/toolrack/packed')
/** Whatever `files` of package.json may name. */
const PACKED = ['*.{json,md}', 'LICENSE', '{dist,docs,bin,src}/**/*']

/** Packs a package of this repository, unless it has been. @returns the archive */
export function packedArchive(source = '.'): string {
  serverProgram()
  const folder = join(KEPT, keyOf(source))
  if (!existsSync(folder)) pack(source, folder)
  return join(folder, readdirSync(folder)[0]!)
}

function keyOf(source: string): string {
  const hash = createHash('sha256').update(source)
  for (const path of globSync(PACKED, { cwd: source }).sort()) {
    const file = join(source, path)
    if (statSync(file).isFile()) hash.update(`\0${path}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function pack(source: string, folder: string): void {
  mkdirSync(KEPT, { recursive: true })
  const made = mkdtempSync(`${folder}-`)
  const args = ['pack', resolve(source), '--ignore-scripts', '--silent', '--pack-destination', made]
  const { status, stderr } = spawnSync('npm', args, { cwd: made, env: packedEnv, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm pack ${source}: ${stderr}`)
  try {
    // Another process may look for it: the folder has its name once it is whole.
    renameSync(made, folder)
  } catch (error) {
    // Another one was as quick.
    rmSync(made, { recursive: true })
    if (!existsSync(folder)) throw error
  }
}
