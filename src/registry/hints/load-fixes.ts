// Says what to write instead, for the usual reasons why a tool file does not load.
import { existsSync, readdirSync } from 'node:fs'
import { builtinModules, isBuiltin } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isObject } from '../../protocol/messages.ts'
import { findNearestName } from '../../text/nearest-name.ts'
import { JSX_FIX } from '../file-texts/syntax.ts'
import { findFailedImport, findImporter, type LoadError } from './failed-import.ts'
import { explainAlias, findByEnding, findFromAbove, isFile, toSpecifier } from './path-aliases.ts'

export interface FixContext {
  /** The tool file. */
  readonly file: string
  /** What `toolrack` exports. */
  readonly exports: readonly string[]
}

type FindFix = (error: LoadError, context: FixContext) => string | undefined

const FIXES: Readonly<Record<string, FindFix>> = {
  ERR_MODULE_NOT_FOUND: findModuleFix,
  MODULE_NOT_FOUND: findModuleFix,
  ERR_UNSUPPORTED_DIR_IMPORT: findModuleFix,
  ERR_INVALID_MODULE_SPECIFIER: findPackageFix,
  ERR_PACKAGE_PATH_NOT_EXPORTED: findPackageFix,
  ERR_UNKNOWN_BUILTIN_MODULE: findBuiltinFix,
  ERR_PACKAGE_IMPORT_NOT_DEFINED: findImportsFix,
  ERR_UNSUPPORTED_ESM_URL_SCHEME: findSchemeFix,
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX: findSyntaxFix,
  ERR_INVALID_TYPESCRIPT_SYNTAX: findSyntaxFix,
  ERR_UNKNOWN_FILE_EXTENSION: ({ message }) => (/\.[jt]sx"/.test(message) ? JSX_FIX : undefined),
  ERR_IMPORT_ATTRIBUTE_MISSING: () => `write import data from '…' with { type: 'json' }`,
  ERR_REQUIRE_ASYNC_MODULE: () => 'write import instead of require',
  ...Object.fromEntries(
    ['EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'].map(code => [
      code,
      () => 'if the file is to load without it, connect in the handler',
    ]),
  ),
}

/** @returns undefined if the error itself says enough */
export function findLoadFix(error: LoadError, context: FixContext): string | undefined {
  const code = error.code ?? (isObject(error.cause) ? error.cause['code'] : undefined)
  const byCode = typeof code === 'string' && Object.hasOwn(FIXES, code) ? FIXES[code] : undefined
  return (byCode ?? findNameFix)(error, context)
}

/** Replacements, by what the message of Node names. */
const SYNTAX: readonly [found: RegExp, fix: string][] = [
  [/enum/, `write const Size = { small: 'small' } as const`],
  [/namespace|module/, 'export its members from a file of their own'],
  [/parameter propert/, 'declare the field, and assign it in the constructor'],
  [/import equals|import.*=/, `write import … from '…'`],
  [/export assignment|`?export\s*=/, 'write export default …'],
  [/type assertion|angle-bracket/, 'write value as Type'],
]

function findSyntaxFix({ message }: LoadError): string | undefined {
  return SYNTAX.find(([found]) => found.test(message))?.[1]
}

const GLOBALS: Readonly<Record<string, string>> = {
  require: `write import … from '…'`,
  module: 'write export default …',
  exports: 'write export default …',
  __dirname: 'write import.meta.dirname',
  __filename: 'write import.meta.filename',
  z: `write import { z } from 'zod'`,
}

function findNameFix({ message }: LoadError, { exports }: FixContext): string | undefined {
  const [, missing] = /^([\w$]{1,100}) is not defined/.exec(message) ?? []
  if (missing !== undefined) {
    if (exports.includes(missing)) return `write import { ${missing} } from 'toolrack'`
    return Object.hasOwn(GLOBALS, missing) ? GLOBALS[missing] : undefined
  }
  if (message.startsWith(`Identifier '.default' has already`)) return 'write export default [one, two]'
  const [, member] = /^[\w$]{1,100}\.([\w$]{1,100}) is not a function/.exec(message) ?? []
  if (member !== undefined && exports.includes(member)) return `write import { ${member} } from 'toolrack'`
  const [, from, name] = /requested module '([^']+)' does not provide an export named '([^']+)'/.exec(message) ?? []
  if (name === undefined) return undefined
  if (name === 'default') return `write import { … } from '${from}'`
  const nearest = from === 'toolrack' ? findNearestName(name, exports) : undefined
  return nearest === undefined ? `if ${name} is a type, write import type { ${name} }` : `did you mean ${nearest}?`
}

function findModuleFix(error: LoadError, context: FixContext): string | undefined {
  const importer = findImporter(error) ?? context.file
  const [, specifier = ''] = /Cannot find (?:module|package) '([^']+)'/.exec(error.message) ?? []
  const isPath = typeof error.url === 'string' || /^[./]/.test(specifier)
  if (!isPath) return findPackageFix(error, { ...context, file: importer })
  const missing = typeof error.url === 'string' ? fileURLToPath(error.url) : resolve(dirname(importer), specifier)
  const found = findFile(missing)
  return found === undefined ? undefined : `write '${toSpecifier(importer, found)}'`
}

/** The file that is probably meant by a path. */
function findFile(missing: string): string | undefined {
  const asTypeScript = missing.replace(/\.([cm]?)jsx?$/, '.$1ts')
  const exact = findByEnding(missing) ?? [asTypeScript].find(isFile)
  if (exact !== undefined) return exact
  const nearest = findNearestName(basename(missing), listNames(dirname(missing)))
  return nearest === undefined ? undefined : join(dirname(missing), nearest)
}

/** Types and schemas come with toolrack. */
const TYPEBOX = ['@sinclair/typebox', 'typebox']

function findPackageFix(error: LoadError, { file }: FixContext): string | undefined {
  const [, found] =
    /(?:Cannot find (?:package|module)|Invalid module|in) ['"]?([^'"]+?)['"]?(?: imported| is not a valid|\n|$|\/package\.json)/.exec(
      error.message,
    ) ?? []
  if (found === undefined) return undefined
  // Of an import, the message has the package alone.
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

/** @param specifier with `node:` or without @returns what Node has instead */
function findBuiltin(specifier: string): string | undefined {
  const [, scheme = '', name = ''] = /^((?:node|bun|deno):)?(.*)$/.exec(specifier) ?? []
  // Some have names with `node:` only.
  if (isBuiltin(`node:${name}`)) return `node:${name}`
  const plain = builtinModules.map(each => each.replace('node:', ''))
  const nearest = findNearestName(name, plain)
  if (nearest === undefined) return undefined
  return scheme !== '' || !isBuiltin(nearest) ? `node:${nearest}` : nearest
}

function findBuiltinFix({ message }: LoadError): string | undefined {
  const [, specifier = ''] = /No such built-in module: (\S+)/.exec(message) ?? []
  const builtin = findBuiltin(specifier)
  return builtin === undefined ? undefined : `did you mean '${builtin}'?`
}

function findImportsFix(error: LoadError, { file }: FixContext): string {
  const [, specifier = '#lib/db'] = /Package import specifier "([^"]+)"/.exec(error.message) ?? []
  const [folder, ...rest] = specifier.slice(1).split('/')
  const names = rest.length === 0 ? [specifier, `./${folder}.ts`] : [`#${folder}/*`, `./${folder}/*.ts`]
  const importer = findImporter(error) ?? file
  const own = findFromAbove(importer, specifier.slice(1))
  const path = own === undefined ? '' : `write '${toSpecifier(importer, own)}', or `
  return `${path}add "imports": { "${names[0]}": "${names[1]}" } to package.json`
}

function findSchemeFix(error: LoadError, { file }: FixContext): string | undefined {
  const [, scheme = ''] = /protocol '(\w+:)'/.exec(error.message) ?? []
  const specifier = findFailedImport(error, file)?.specifier ?? scheme
  const builtin = /^(?:bun|deno):/.test(scheme) ? findBuiltin(specifier) : undefined
  if (builtin !== undefined) return `did you mean '${builtin}'?`
  const [, name] = /^(?:npm|jsr):\/?((?:@[^/@]+\/)?[^/@]+)/.exec(specifier) ?? []
  if (name !== undefined) return `run npm install ${name}, and write '${name}'`
  return /^https?:/.test(scheme)
    ? 'Node imports no URLs: run npm install, and write the name of the package'
    : undefined
}

/** Packages that are read per error. */
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
