// A registry of npm that has the packages of this repository as if they were published. What else is
// asked for comes from the registry that npm uses on this machine.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'
import { packedArchive } from './packed-archive.ts'
import { listen } from './servers/http-server.ts'

const PACKAGES = { toolrack: '.', 'create-toolrack': 'packages/create' } as const

/** @returns its URL, for `npm_config_registry` */
export async function serveRegistry(t: Test): Promise<string> {
  const { stdout } = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' })
  const upstream = stdout.trim()
  const archives = new Map(
    Object.entries(PACKAGES).map(([name, folder]) => [`/-/${name}.tgz`, readFileSync(packedArchive(folder))]),
  )
  const base = await listen(t, ({ url: path = '/', headers }, response) => {
    const archive = archives.get(path)
    const name = path.slice(1)
    if (archive !== undefined) response.end(archive)
    else if (Object.hasOwn(PACKAGES, name)) response.end(JSON.stringify(describe(name as keyof typeof PACKAGES)))
    else void forward(new URL(name, upstream), { accept: headers.accept ?? '*/*' }, response)
  })
  const describe = (name: keyof typeof PACKAGES) => {
    const manifest = JSON.parse(readFileSync(join(PACKAGES[name], 'package.json'), 'utf8')) as { version: string }
    const path = `/-/${name}.tgz`
    const integrity = `sha512-${createHash('sha512').update(archives.get(path)!).digest('base64')}`
    const { version } = manifest
    const dist = { tarball: new URL(path, base).href, integrity }
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
  }
  return base
}

async function forward(url: URL, headers: { readonly accept: string }, response: ServerResponse): Promise<void> {
  try {
    const answer = await fetch(url, { headers })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  } catch {
    response.writeHead(502).end()
  }
}
