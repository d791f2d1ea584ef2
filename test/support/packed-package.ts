// The package as npm has it: packed, and unpacked among the dependencies of a project.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { devNull } from 'node:os'
import { join, resolve } from 'node:path'
import type { Test } from 'tap'
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

/** Packs a package of this repository, and unpacks it in `folder`. @returns where it is then */
export function unpackPackage(t: Test, folder: string, source = '.'): string {
  serverProgram()
  const args = ['pack', resolve(source), '--ignore-scripts', '--silent', '--pack-destination', folder]
  const packed = spawnSync('npm', args, { cwd: folder, env: packedEnv, encoding: 'utf8' })
  const archive = packed.stdout.trim().split('\n').at(-1) ?? ''
  const unpacked = spawnSync('tar', ['-xzf', archive], { cwd: folder, encoding: 'utf8' })
  t.equal(unpacked.status, 0, packed.stderr + unpacked.stderr)
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
