// The package as npm has it: packed, and unpacked among the dependencies of a project.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Test } from 'tap'
import { packedArchive } from './packed-archive.ts'

export { packedEnv } from './packed-archive.ts'

/** Packs a package of this repository, and unpacks it in `folder`. @returns where it is then */
export function unpackPackage(t: Test, folder: string, source = '.'): string {
  const unpacked = spawnSync('tar', ['-xzf', packedArchive(source)], { cwd: folder, encoding: 'utf8' })
  t.equal(unpacked.status, 0, unpacked.stderr)
  return join(folder, 'package')
}

/** Gives a project the packed package, beside its dependencies, which are those of this repository. */
export function installPacked(t: Test, folder: string): void {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  for (const name of readdirSync('node_modules').filter(each => !['toolrack', '.bin'].includes(each)))
    symlinkSync(resolve('node_modules', name), join(modules, name))
  spawnSync('mv', [unpackPackage(t, folder), join(modules, 'toolrack')])
  // What npm makes of `bin`.
  mkdirSync(join(modules, '.bin'))
  symlinkSync('../toolrack/dist/src/server.js', join(modules, '.bin', 'toolrack'))
  symlinkSync(resolve('node_modules/.bin/tsc'), join(modules, '.bin', 'tsc'))
}
