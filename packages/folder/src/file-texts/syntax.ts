// Decides by a file's own syntax whether it is an ES module or CommonJS. The nearest package.json
// may belong to another program.

/** Comments and strings, which may contain any text. */
const OPAQUE = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:\\[\s\S]|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g

const IMPORT = 'import(?:\\s*["\'{*]|\\s+[\\w$])'
const EXPORT =
  'export(?:\\s*[{*]|\\s+(?:default|const|let|var|function|class|async|abstract|enum|declare|type|interface)\\b)'
const MODULE = new RegExp(`(?:^|[;}])\\s*(?:${IMPORT}|${EXPORT})`, 'm')
const COMMON_JS = /\bmodule\s*\.\s*exports\b|\bexports\s*[.[=]|\brequire\s*[.(]|\b__(?:dirname|filename)\b/

/** The source without comments and without the contents of strings. */
export const blankTexts = (source: string): string =>
  source.replace(OPAQUE, text => (text.startsWith('/') ? ' ' : text[0]!.repeat(2)))

/** The source with blanks in place of comments, so that all other text keeps its position. */
export const blankComments = (source: string): string =>
  source.replace(OPAQUE, text => (text.startsWith('/') ? text.replace(/[^\n]/g, ' ') : text))

/** @returns true only for a file that uses CommonJS and has neither `import` nor `export` */
export function isCommonJs(source: string): boolean {
  const code = blankTexts(source)
  return COMMON_JS.test(code) && !MODULE.test(code)
}

const PROLOGUE = [
  `import { createRequire as __createRequire } from 'node:module'`,
  'const require = __createRequire(import.meta.url)',
  'const module = { exports: {} }, { filename: __filename, dirname: __dirname } = import.meta',
  'let { exports } = module;',
].join(';')

/** Wraps CommonJS in an ES module with the same line numbers, where Node insists on a module. */
export function wrapCommonJs(source: string): string {
  const exported = 'const __exported = module.exports; export { __exported as default, __exported as "module.exports" }'
  return `${PROLOGUE}${source.replace(/^#!/, '//')}\n;${exported}`
}

export const JSX_FIX = 'Node reads no JSX: rename it to .ts if it has none, or compile it'
