// A server whose console is a folder of fixtures: its files say who they are.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { buildServer } from '../../../src/app.ts'
import { resolveOptions } from '../../../src/config/options.ts'
import type { ServerOptions } from '../../../src/index.ts'
import { type App, buildBy, listen } from '../app.ts'

export const FILES: Readonly<Record<string, string>> = {
  'index.html': '<!doctype html><title>console</title>',
  'callback.html': '<!doctype html><title>signed in</title>',
  'assets/main-ABCD2345.js': '// the script of the console',
  'assets/main-ABCD2345.css': '/* the style of the console */',
  'assets/plain.js': '// without a hash',
}

/** Writes the files, and the first script and `index.html` compressed as well. */
export function consoleFolder(t: Test): string {
  const folder = t.testdir({ console: { assets: {} }, 'outside.txt': 'outside' })
  fillConsole(join(folder, 'console'))
  return join(folder, 'console')
}

export function fillConsole(folder: string): void {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  for (const [name, text] of Object.entries(FILES)) {
    writeFileSync(join(folder, name), text)
    if (name === 'assets/plain.js') continue
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
  }
}

/** @param consoleDir default: a folder of `FILES` */
export const withConsole = (t: Test, options: ServerOptions = {}, consoleDir = consoleFolder(t)): Promise<App> =>
  buildBy(t, ({ logStream, ...ours }) => {
    const resolved = resolveOptions({ ...ours, ...options })
    return buildServer({ ...resolved, doubles: { consoleDir } }, logStream)
  })

export interface Served {
  readonly app: App
  readonly port: number
  readonly origin: string
}

/** The same, listening. */
export async function serveWithConsole(t: Test, options: ServerOptions, consoleDir: string): Promise<Served> {
  const app = await withConsole(t, options, consoleDir)
  const port = await listen(app, options)
  return { app, port, origin: `http://127.0.0.1:${port}` }
}
