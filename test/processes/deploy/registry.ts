// A registry of npm that has a few packages, each of which exports `polite`.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { listen } from '../../support/servers/http-server.ts'
import { tempFolder } from '../../support/tools-folder.ts'

export interface Registry {
  readonly url: string
  /** Writes the package-lock.json of a project. */
  lock(project: string): void
}

const VERSION = '1.0.0'
/** By the name of the package: one is an ES module, the other CommonJS. */
const SOURCES: Readonly<Record<string, string>> = {
  'polite-esm': "export const polite = what => what + ', please'\n",
  'polite-cjs': "exports.polite = what => what + ', please'\n",
}

export async function serveRegistry(t: Test): Promise<Registry> {
  const archives = new Map(Object.keys(SOURCES).map(name => [`/${name}.tgz`, pack(t, name)]))
  const url = await listen(t, ({ url: path }, response) => {
    const archive = archives.get(path!)
    if (archive === undefined) response.writeHead(404)
    response.end(archive)
  })
  return {
    url,
    lock: project => {
      const wanted = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
      const packages = Object.fromEntries(
        Object.keys(SOURCES).map(name => {
          const path = `/${name}.tgz`
          const integrity = `sha512-${createHash('sha512').update(archives.get(path)!).digest('base64')}`
          return [`node_modules/${name}`, { version: VERSION, resolved: `${url}${path}`, integrity }]
        }),
      )
      const { name, version, dependencies, devDependencies = {} } = wanted
      // Never fetched: --omit=dev leaves it out.
      const dev = Object.keys(devDependencies).map(name => [
        `node_modules/${name}`,
        { version: '0.1.0', resolved: `${url}/${name}.tgz`, dev: true },
      ])
      const all = { '': { name, version, dependencies, devDependencies }, ...packages, ...Object.fromEntries(dev) }
      const lock = { name, version, lockfileVersion: 3, requires: true, packages: all }
      writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock))
    },
  }
}

function pack(t: Test, name: string): Buffer {
  const type = name.endsWith('-esm') ? 'module' : 'commonjs'
  const manifest = JSON.stringify({ name, version: VERSION, type, main: 'index.js' })
  const { path } = tempFolder(t, { 'package.json': manifest, 'index.js': SOURCES[name]! }, 'package')
  const { stdout } = spawnSync('tar', ['-cz', '-C', join(path, '..'), 'package'])
  return stdout
}
