// Says what to write instead, for common reasons why a tool file does not load.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules, isBuiltin } from 'node:module'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isObject } from 'toolrack/protocol'
import { findNearestName } from 'toolrack/text'
import { JSX_FIX } from '../file-texts/syntax.ts'
import { findFailedImport, findImporter, type LoadError } from './failed-import.ts'
import { explainAlias, findByEnding, findFromAbove, isFile, toSpecifier } from './path-aliases.ts'
import type { SourceLocation } from './syntax-error.ts'

/** An error of a load, and its context. */
interface Failure {
  readonly error: LoadError
  /** The tool file. */
  readonly file: string
  /** The place of the error in a source, if it was found. */
  readonly place: SourceLocation | undefined
  /** The exports of `toolrack`. */
  readonly exports: readonly string[]
}

/** One common mistake. */
interface Mistake {
  /** Codes of the error; default: any code, or none. */
  readonly codes?: readonly string[]
  readonly message?: RegExp
  /**
   * The fix, or a function that finds it.
   *
   * @param named the groups of the message
   * @returns undefined if another row may know more
   */
  readonly fix: string | ((failure: Failure, ...named: readonly string[]) => string | undefined)
}

const NOT_FOUND = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT']
const BAD_PACKAGE = ['ERR_INVALID_MODULE_SPECIFIER', 'ERR_PACKAGE_PATH_NOT_EXPORTED']
const NO_TYPESCRIPT = ['ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', 'ERR_INVALID_TYPESCRIPT_SYNTAX']
const NO_ANSWER = [...['EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT'], 'UND_ERR_CONNECT_TIMEOUT']

const MISTAKES: readonly Mistake[] = [
  { message: /^Cannot access '([\w$]{1,100})' before initialization/, fix: findAccessFix },
  { message: /^Invalid or unexpected token/, fix: findDecoratorFix },
  // The last is Node's message if hooks, such as those of a test runner, read the file as an ES module.
  {
    message: /^Cannot use import statement outside|^Unexpected token 'export'|^module is not defined in ES module/,
    fix: findCommonJsFix,
  },
  { codes: NOT_FOUND, fix: findModuleFix },
  { codes: BAD_PACKAGE, fix: findPackageFix },
  { codes: ['ERR_UNKNOWN_BUILTIN_MODULE'], message: /No such built-in module: (\S+)/, fix: findBuiltinFix },
  { codes: ['ERR_PACKAGE_IMPORT_NOT_DEFINED'], fix: findImportsFix },
  { codes: ['ERR_UNSUPPORTED_ESM_URL_SCHEME'], message: /protocol '(\w+:)'/, fix: findSchemeFix },
  { codes: ['ERR_UNKNOWN_FILE_EXTENSION'], message: /\.[jt]sx"/, fix: JSX_FIX },
  { codes: ['ERR_IMPORT_ATTRIBUTE_MISSING'], fix: `write import data from '…' with { type: 'json' }` },
  { codes: ['ERR_REQUIRE_ASYNC_MODULE'], fix: 'write import instead of require' },
  { codes: NO_TYPESCRIPT, message: /enum/, fix: `write const Size = { small: 'small' } as const` },
  { codes: NO_TYPESCRIPT, message: /namespace|module/, fix: 'export its members from a file of their own' },
  {
    codes: NO_TYPESCRIPT,
    message: /parameter propert/,
    fix: 'declare the field, and assign it in the constructor',
  },
  { codes: NO_TYPESCRIPT, message: /import equals|import.*=/, fix: `write import … from '…'` },
  { codes: NO_TYPESCRIPT, message: /export assignment|`?export\s*=/, fix: 'write export default …' },
  { codes: NO_TYPESCRIPT, message: /type assertion|angle-bracket/, fix: 'write value as Type' },
  { codes: NO_ANSWER, fix: 'if the file is to load without it, connect in the handler' },
  { message: /^([\w$]{1,100}) is not defined/, fix: findExport },
  { message: /^require is not defined/, fix: `write import … from '…'` },
  { message: /^(?:module|exports) is not defined/, fix: 'write export default …' },
  { message: /^__dirname is not defined/, fix: 'write import.meta.dirname' },
  { message: /^__filename is not defined/, fix: 'write import.meta.filename' },
  { message: /^z is not defined/, fix: `write import { z } from 'zod'` },
  { message: /^Identifier '\.default' has already/, fix: 'write export default [one, two]' },
  { message: /^[\w$]{1,100}\.([\w$]{1,100}) is not a function/, fix: findExport },
  {
    message: /requested module '([^']+)' does not provide an export named 'default'/,
    fix: (_failure, from) => `write import { … } from '${from}'`,
  },
  {
    message: /requested module '([^']+)' does not provide an export named '([^']+)'/,
    fix: ({ exports }, from, name = '') => {
      const nearest = from === 'toolrack' ? findNearestName(name, exports) : undefined
      return nearest === undefined ? `if ${name} is a type, write import type { ${name} }` : `did you mean ${nearest}?`
    },
  },
]

/** @returns undefined if the error explains itself @throws Error if a source is unreadable */
export function findLoadFix(failure: Failure): string | undefined {
  const { code: own, message, cause } = failure.error
  const code = own ?? (isObject(cause) ? cause['code'] : undefined)
  for (const { codes, message: found, fix } of MISTAKES) {
    const match = found === undefined ? [] : found.exec(message)
    if (match === null || codes?.some(each => each === code) === false) continue
    const written = typeof fix === 'string' ? fix : fix(failure, ...match.slice(1))
    if (written !== undefined) return written
  }
  return undefined
}

function findExport({ exports }: Failure, name = ''): string | undefined {
  return exports.includes(name) ? `write import { ${name} } from 'toolrack'` : undefined
}

function findAccessFix({ place }: Failure, name = ''): string | undefined {
  if (place === undefined) return undefined
  const text = readFileSync(place.file, 'utf8')
  const hasWord = (words: string) => words.split(/[^\w$]+/).includes(name)
  return [...text.matchAll(/\bimport\b([^'"]*)\bfrom\b/g)].some(([, names]) => hasWord(names!))
    ? 'two files import each other: move what both need into a third one'
    : 'move its declaration above this line'
}

function findDecoratorFix({ place }: Failure): string | undefined {
  const line = place && readFileSync(place.file, 'utf8').split('\n')[place.line - 1]
  return line !== undefined && /^\s*@\w/.test(line) ? 'Node reads no decorators: write it without them' : undefined
}

function findCommonJsFix({ place }: Failure): string | undefined {
  const ending = extname(place?.file ?? '')
  return /^\.c[jt]s$/.test(ending)
    ? `rename it to ${ending.replace('c', '')}, or write require and module.exports`
    : undefined
}

function findModuleFix(failure: Failure): string | undefined {
  const { error } = failure
  const importer = findImporter(error) ?? failure.file
  const [, specifier = ''] = /Cannot find (?:module|package) '([^']+)'/.exec(error.message) ?? []
  const isPath = typeof error.url === 'string' || /^[./]/.test(specifier)
  if (!isPath) return findPackageFix({ ...failure, file: importer })
  const missing = typeof error.url === 'string' ? fileURLToPath(error.url) : resolve(dirname(importer), specifier)
  const found = findFile(missing)
  return found === undefined ? undefined : `write '${toSpecifier(importer, found)}'`
}

/** The file that a path probably means. */
function findFile(missing: string): string | undefined {
  const asTypeScript = missing.replace(/\.([cm]?)jsx?$/, '.$1ts')
  const exact = findByEnding(missing) ?? [asTypeScript].find(isFile)
  if (exact !== undefined) return exact
  const nearest = findNearestName(basename(missing), listNames(dirname(missing)))
  return nearest === undefined ? undefined : join(dirname(missing), nearest)
}

/** Types and schemas come with toolrack. */
const TYPEBOX = ['@sinclair/typebox', 'typebox']

function findPackageFix({ error, file }: Failure): string | undefined {
  const [, found] =
    /(?:Cannot find (?:package|module)|Invalid module|in) ['"]?([^'"]+?)['"]?(?: imported| is not a valid|\n|$|\/package\.json)/.exec(
      error.message,
    ) ?? []
  if (found === undefined) return undefined
  // The message about an import has only the package.
  const specifier = findFailedImport(error, file)?.specifier ?? found
  const beside = findFile(join(dirname(file), specifier))
  if (beside !== undefined) return `write '${toSpecifier(file, beside)}'`
  const alias = explainAlias(file, specifier)
  if (alias !== undefined) return alias
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  if (TYPEBOX.includes(name)) return `write import { Type } from 'toolrack', or run npm install ${name}`
  if (name === 'toolrack' || findNearestName(name, ['toolrack']) !== undefined) return `write import … from 'toolrack'`
  const isOfNode = isBuiltin(`node:${name}`)
  const nearest = (isOfNode ? undefined : findNearestName(name, findPackages(file))) ?? findBuiltin(specifier)
  return nearest === undefined ? `run npm install ${name}` : `did you mean '${nearest}'?`
}

/** @param specifier with `node:` or without @returns the specifier that Node has instead */
function findBuiltin(specifier: string): string | undefined {
  const [, scheme = '', name = ''] = /^((?:node|bun|deno):)?(.*)$/.exec(specifier) ?? []
  // Some exist only with `node:`.
  if (isBuiltin(`node:${name}`)) return `node:${name}`
  const plain = builtinModules.map(each => each.replace('node:', ''))
  const nearest = findNearestName(name, plain)
  if (nearest === undefined) return undefined
  return scheme !== '' || !isBuiltin(nearest) ? `node:${nearest}` : nearest
}

function findBuiltinFix(_failure: Failure, specifier = ''): string | undefined {
  const builtin = findBuiltin(specifier)
  return builtin === undefined ? undefined : `did you mean '${builtin}'?`
}

function findImportsFix({ error, file }: Failure): string {
  const [, specifier = '#lib/db'] = /Package import specifier "([^"]+)"/.exec(error.message) ?? []
  const [folder, ...rest] = specifier.slice(1).split('/')
  const names = rest.length === 0 ? [specifier, `./${folder}.ts`] : [`#${folder}/*`, `./${folder}/*.ts`]
  const importer = findImporter(error) ?? file
  const own = findFromAbove(importer, specifier.slice(1))
  const path = own === undefined ? '' : `write '${toSpecifier(importer, own)}', or `
  return `${path}add "imports": { "${names[0]}": "${names[1]}" } to package.json`
}

function findSchemeFix({ error, file }: Failure, scheme = ''): string | undefined {
  const specifier = findFailedImport(error, file)?.specifier ?? scheme
  const builtin = /^(?:bun|deno):/.test(scheme) ? findBuiltin(specifier) : undefined
  if (builtin !== undefined) return `did you mean '${builtin}'?`
  const [, name] = /^(?:npm|jsr):\/?((?:@[^/@]+\/)?[^/@]+)/.exec(specifier) ?? []
  if (name !== undefined) return `run npm install ${name}, and write '${name}'`
  return /^https?:/.test(scheme)
    ? 'Node imports no URLs: run npm install, and write the name of the package'
    : undefined
}

/** Maximum number of packages that are read per error. */
const MAX_PACKAGES = 5000

/** The packages that a file may import. */
function findPackages(file: string): string[] {
  const names: string[] = []
  for (let folder = dirname(file); names.length < MAX_PACKAGES; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules')
    for (const name of listNames(packages)) {
      if (!name.startsWith('@')) names.push(name)
      else names.push(...listNames(join(packages, name)).map(each => `${name}/${each}`))
    }
    if (folder === dirname(folder)) break
  }
  return names.slice(0, MAX_PACKAGES)
}

const listNames = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])
