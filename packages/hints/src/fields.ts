// Says for each issue of a definition what to write instead.

import { type Issue, isUnknownProperty } from '@toolrack/json-schema/issues'
import { findVariableFix, type Mistake, saysNothing } from 'toolrack/definitions'
import { isObject } from 'toolrack/protocol'
import { findMeantField } from './field-names.ts'
import { fixArguments, fixMember } from './prompts.ts'

type Broken = Extract<Mistake, { readonly what: 'shape' }>

interface Rule {
  readonly path: RegExp
  /** Keywords of the schema that the value breaks; undefined: any. */
  readonly keywords?: readonly string[]
  /** @returns undefined if the rule does not know what the author means */
  fix(
    value: unknown,
    path: string,
    definition: { arguments?: unknown; inputSchema?: object; scopes?: unknown },
  ): string | undefined
}

const SETTING = `'GITHUB_TOKEN'`
export const TIME_FIX = `write a text such as '30 s' or '5 minutes', or milliseconds: 30_000`
export const HANDLER_FIX = `write handler: args => '…'`
const ARGUMENT_MEMBERS = ['name', 'title', 'description', 'required', 'complete']
const WINDOW = `{ max: 10, timeWindow: '1 minute' }`

const RULES: readonly Rule[] = [
  { path: /^name$/, keywords: ['required', 'type'], fix: () => `write name: 'get_order'` },
  { path: /^name$/, keywords: ['pattern', 'minLength', 'maxLength'], fix: name => fixName(name) },
  { path: /^handler$/, keywords: ['required'], fix: () => HANDLER_FIX },
  { path: /^timeout$/, keywords: ['maximum'], fix: () => '10 minutes, 600_000, is the most' },
  { path: /^(?:timeout|rateLimit\.timeWindow)$/, keywords: ['type', 'minimum'], fix: () => TIME_FIX },
  { path: /^scopes$/, keywords: ['type'], fix: scopes => toList('scopes', splitWords(scopes)) },
  { path: /^scopes\.\d+$/, keywords: ['pattern'], fix: (_scope, _path, definition) => fixScopes(definition) },
  { path: /^(?:requires|settings)$/, keywords: ['type'], fix: (value, path) => toList(path, splitWords(value)) },
  { path: /^settings\.\d+$/, fix: () => `it is the name of an environment variable, such as ${SETTING}` },
  {
    path: /^requires\.\d+$/,
    fix: () =>
      `it is the name of an environment variable, such as ${SETTING}, or { what: 'npm install sharp', isMet: false }`,
  },
  { path: /^rateLimit$/, fix: () => `write rateLimit: ${WINDOW}` },
  { path: /^rateLimit\.\w+$/, keywords: ['required'], fix: () => `write rateLimit: ${WINDOW}` },
  { path: /^task$/, fix: task => fixTask(task) },
  { path: /^isolate$/, fix: () => 'write isolate: true in a tools folder, else import.meta.url' },
  { path: /^inputSchema\.type$/, keywords: ['required'], fix: (_type, _path, definition) => fixNoType(definition) },
  { path: /^icons\.\d+$/, keywords: ['type'], fix: icon => fixIcon(icon) },
  { path: /^icons$/, keywords: ['type'], fix: (value, path) => fixList(value, path) },
  { path: /^arguments$/, keywords: ['type'], fix: args => fixArguments(args) },
  { path: /^arguments\.\d+$/, keywords: ['type'], fix: (_argument, _path, { arguments: args }) => fixArguments(args) },
  {
    path: /^arguments\.\d+\.[^.]+$/,
    keywords: ['additionalProperties'],
    fix: (value, path) => fixMember(path.split('.')[2]!, value, ARGUMENT_MEMBERS),
  },
  {
    path: /^arguments\.\d+\.name$/,
    keywords: ['required', 'type', 'minLength', 'maxLength'],
    fix: () => `write { name: 'code' }`,
  },
  {
    path: /^complete$/,
    keywords: ['type'],
    fix: () => `write complete: { id: value => […] }, by the template's variables`,
  },
  { path: /^uri$/, fix: uri => fixUri(uri) },
  { path: /^uriTemplate$/, keywords: ['pattern'], fix: template => `add a scheme: ${addScheme(String(template))}` },
  { path: /^uriTemplate$/, keywords: ['format'], fix: template => fixTemplate(template) },
  { path: /^mimeType$/, keywords: ['pattern'], fix: () => `it has two parts: write mimeType: 'text/markdown'` },
  {
    path: /^annotations$/,
    keywords: ['type'],
    fix: () => 'write annotations: { readOnlyHint: true } if it changes nothing',
  },
  { path: /^(?:concurrency|size)$|\.max$/, keywords: ['type'], fix: value => fixNumber(value) },
  { path: /^sanitize$|Hint$|\.required$|^idempotency$/, keywords: ['type'], fix: () => 'write true or false' },
]

/** What to write instead. */
export interface Fix {
  readonly text: string
  /** The field that the author means by an unknown one. */
  readonly meant?: string
}

/** @returns undefined if the message of the issue is enough */
export function findFix(issue: Issue, { kind, definition, fields }: Broken): Fix | undefined {
  const { path, keyword = '' } = issue
  const value = readPath(definition, path)
  if (isUnknownProperty(issue) && !path.includes('.')) {
    const other = kind === 'tool' ? findOtherKind(path, value) : undefined
    if (other !== undefined) return { text: `put ${other}({ … }) around it` }
    const meant = findMeantField(kind, path, fields)
    const written = kind === 'prompt' && meant === 'arguments' ? fixArguments(value) : undefined
    if (meant !== undefined) return { text: written ?? `did you mean ${meant}?`, meant }
  }
  const rule = RULES.find(each => each.path.test(path) && (each.keywords?.includes(keyword) ?? true))
  const text = rule?.fix(value, path, definition)
  return text === undefined ? undefined : { text }
}

/** The function for definitions that have such a field. */
function findOtherKind(field: string, value: unknown): string | undefined {
  if (['uri', 'uriTemplate', 'mimeType'].includes(field)) return 'defineResource'
  return field === 'arguments' && Array.isArray(value) ? 'definePrompt' : undefined
}

const readPath = (definition: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (Object(value) as Record<string, unknown>)[key], definition)

const MAX_NAME = 64

function fixName(name: unknown): string {
  const suggested = String(name)
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_NAME)
  return suggested === '' ? `write a name such as 'get_order'` : `write name: '${suggested}'`
}

const splitWords = (value: unknown) => (typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : [])

const toList = (field: string, words: readonly string[]) =>
  words.length > 0 ? `write ${field}: [${words.map(word => `'${word}'`).join(', ')}]` : undefined

function fixScopes({ scopes }: { scopes?: unknown }): string {
  const words = (Array.isArray(scopes) ? scopes : []).flatMap(splitWords)
  const fix = toList('scopes', words)
  return fix === undefined ? 'leave it away if the tool needs none' : `a scope has no blanks: ${fix}`
}

function fixNoType({ inputSchema }: { inputSchema?: object }): string {
  return saysNothing(inputSchema ?? {}) ? `write { type: 'object', properties: { … } }` : `add type: 'object'`
}

const fixTask = (task: unknown) => (task === true ? `write task: 'optional'` : undefined)

const fixIcon = (icon: unknown) => (typeof icon === 'string' ? `write { src: '${icon}' }` : undefined)

const fixList = (value: unknown, path: string) =>
  isObject(value) ? `put it into an array: ${path}: [{ ${Object.keys(value).slice(0, 3).join(', ')} … }]` : undefined

function fixUri(uri: unknown): string | undefined {
  if (uri instanceof URL) return `write uri: '${uri.href}'`
  if (typeof uri !== 'string') return undefined
  const full = /^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri) ? uri : addScheme(uri)
  const template = findVariableFix(full)
  if (template !== undefined) return template
  if (uri.includes('{')) return `did you mean uriTemplate${full === uri ? '' : `: '${full}'`}?`
  return full === uri ? `write uri: '${encodeURI(uri)}'` : `add a scheme: ${encodeURI(full)}`
}

const fixTemplate = (template: unknown) =>
  findVariableFix(String(template)) ?? 'write docs://{id}, or docs://{+path} for the rest'

/** Turns the first part of a path into the scheme: `/docs/style` becomes `docs://style`. */
function addScheme(path: string): string {
  const [, scheme, rest] = /^\/?([A-Za-z][A-Za-z0-9+.-]*)\/+(.+)$/.exec(path) ?? []
  return scheme === undefined ? `docs://${path.replace(/^\/+/, '')}` : `${scheme}://${rest}`
}

const fixNumber = (value: unknown) =>
  typeof value === 'string' && /^\d+$/.test(value) ? `write ${Number(value)} without quotes` : undefined
