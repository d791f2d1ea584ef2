// How files of a tools folder find the package and each other: `toolrack` is this very copy, wherever the folder is,
// and a file that is read anew takes its neighbours with it.
import { registerHooks } from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = import.meta.url
const INDEX = here.endsWith('.ts') ? new URL('../index.ts', here).href : import.meta.resolve('toolrack')

const TOOL_FILE = /^(?:[^/]+\.(?:ts|js|mjs)|[^/]+\/index\.(?:ts|js|mjs))$/
const NOT_A_TOOL = /(?:^|\/)[._]|\.(?:d|test|spec)\.(?:ts|js|mjs)$/

/** A file at the top of the folder, or the index of a folder in it; not `_hidden`, `.hidden`, tests or declarations. */
export function isToolFile(path: string): boolean {
  const posix = sep === '/' ? path : path.split(sep).join('/')
  return TOOL_FILE.test(posix) && !NOT_A_TOOL.test(posix)
}

const roots = new Set<string>()

/** Lets what is under `root` import `toolrack`; for the life of the process, since modules stay as long. */
export function resolveToolrack(root: string): void {
  if (roots.size === 0) registerHooks({ resolve: resolveFromTools })
  roots.add(root.endsWith(sep) ? root : root + sep)
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>

const resolveFromTools: Resolve = (specifier, context, next) => {
  const parent = context.parentURL
  if (parent === undefined || !isBelowRoot(parent)) return next(specifier, context)
  if (specifier === 'toolrack') return { url: INDEX, shortCircuit: true }
  const resolved = next(specifier, context)
  const generation = new URL(parent).searchParams.get('generation')
  if (generation === null || !resolved.url.startsWith('file:') || !isBelowRoot(resolved.url)) return resolved
  const url = new URL(resolved.url)
  url.searchParams.set('generation', generation)
  return { ...resolved, url: url.href }
}

function isBelowRoot(url: string): boolean {
  if (!url.startsWith('file:')) return false
  const path = fileURLToPath(url.split('?')[0]!)
  for (const root of roots) if (path.startsWith(root) && !path.slice(root.length).includes('node_modules')) return true
  return false
}
