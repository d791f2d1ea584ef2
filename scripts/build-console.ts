// Makes dist/console/: the pages in console/ with their scripts and styles, each file also
// compressed. Fails if the console grows above its limit.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Metafile } from 'esbuild'

const SOURCE = 'packages/console/app'
const TARGET = 'dist/console'
const MAX_GZIP_BYTES = 300 * 1024
/** A page names its script and style by their sources: `src="./src/main.tsx"`. */
const REFERENCE = /(?<=(?:src|href)=")\.\/(src\/[^"]+)(?=")/g

export const CONSOLE_BUILD: BuildOptions = {
  outdir: TARGET,
  outbase: SOURCE,
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  metafile: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
  define: { 'process.env.NODE_ENV': '"production"' },
  alias: {
    react: 'preact/compat',
    'react-dom': 'preact/compat',
    'react/jsx-runtime': 'preact/jsx-runtime',
  },
}

export interface BuiltConsole {
  readonly gzipBytes: number
  /** What is bundled. */
  readonly metafile: Metafile
}

/** Builds every page of console/ into a folder. */
export async function buildConsole(target = TARGET): Promise<BuiltConsole> {
  const pages = new Map(
    readdirSync(SOURCE)
      .filter(name => name.endsWith('.html'))
      .map(name => [name, readFileSync(join(SOURCE, name), 'utf8')]),
  )
  const entries = new Set([...pages.values()].flatMap(html => [...html.matchAll(REFERENCE)].map(match => match[1]!)))
  const { metafile } = await build({
    ...CONSOLE_BUILD,
    outdir: target,
    entryPoints: [...entries].map(entry => join(SOURCE, entry)),
  })
  const outputs = Object.entries(metafile!.outputs)
  const built = new Map(outputs.map(([output, { entryPoint }]) => [entryPoint, relative(target, output)]))

  mkdirSync(target, { recursive: true })
  for (const [name, html] of pages) {
    const page = html.replace(REFERENCE, (_, entry: string) => `./${built.get(join(SOURCE, entry))}`)
    writeFileSync(join(target, name), page)
  }
  const files = [...outputs.map(([output]) => output), ...[...pages.keys()].map(name => join(target, name))]
  const gzipBytes = files.map(compress).reduce((sum, size) => sum + size, 0)
  if (gzipBytes > MAX_GZIP_BYTES) {
    throw new Error(`The console weighs ${gzipBytes} bytes in gzip; the limit is ${MAX_GZIP_BYTES}.`)
  }
  return { gzipBytes, metafile: metafile! }
}

/** Writes a file's .br and .gz beside it, and returns the size of the .gz. */
function compress(file: string): number {
  const content = readFileSync(file)
  const gzip = gzipSync(content, { level: 9 })
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${file}.gz`, gzip)
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }))
  return gzip.length
}

if (import.meta.main) {
  const { gzipBytes } = await buildConsole()
  process.stdout.write(`The console weighs ${gzipBytes} bytes in gzip.\n`)
}
