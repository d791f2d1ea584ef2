// Answers a tool's questions (elicitation): by the options, else by asking in the terminal.
// Spec 2026-07-28: client/elicitation.
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client'
import { PartSchema } from '@toolrack/json-schema/part-schema'
import { findChoices, followReference, listProperties, type Property } from '@toolrack/json-schema/reader'
import { formatType } from '@toolrack/json-schema/signature'
import type { Schema } from '@toolrack/json-schema/validator'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { toVisible, toVisibleLine } from 'toolrack/text'
import { ask } from '../ask.ts'
import { CommandError, UnansweredError, UsageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { readText } from './arguments.ts'
import { compileIfPossible } from './connect.ts'

export interface Answers {
  /** `key=value` of `--answer`. */
  readonly given: ReadonlyMap<string, string>
  /** Agrees to everything and takes the defaults. */
  readonly isYes: boolean
}

export function parseAnswers(words: readonly string[] = [], isYes = false): Answers {
  const given = new Map<string, string>()
  for (const word of words) {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(word) ?? []
    if (name === undefined || text === undefined)
      throw new UsageError(`--answer: write name=value, not ${JSON.stringify(word)}`)
    given.set(name, text)
  }
  return { given, isYes }
}

/** @throws UnansweredError, UsageError, InterruptedError */
export async function answer(
  params: ElicitRequestParams,
  answers: Answers,
  io: Io,
  signal: AbortSignal,
): Promise<ElicitResult> {
  io.note(`${io.paintNote('bold', 'The tool asks:')} ${toVisible(params.message)}`)
  if (params.mode === 'url') return answerUrl(params.url, answers, io, signal)
  const schema = params.requestedSchema as Schema
  const fields = listProperties(schema)
  const content = fillForm(fields, answers)
  const missing = fields.filter(({ name }) => !Object.hasOwn(content, name))
  const isAnswered = missing.every(({ isRequired }) => !isRequired)
  if (isAnswered && (answers.isYes || (answers.given.size > 0 && fields.length > missing.length)))
    return { action: 'accept', content: check(content, schema) }
  if (!io.isInteractive) throw new UnansweredError(describeForm(params.message, missing))
  return askForm(fields, content, schema, signal)
}

async function answerUrl(url: string, { isYes }: Answers, io: Io, signal: AbortSignal): Promise<ElicitResult> {
  const target = URL.parse(url)
  if (target === null || !/^https?:$/.test(target.protocol))
    throw new CommandError(`the tool asks to open ${toVisibleLine(url)}; expected an http or https URL`)
  io.note(`Open this page in a browser (host: ${target.host}):\n  ${toVisibleLine(target.href)}`)
  if (isYes) return { action: 'accept' }
  if (!io.isInteractive) throw new UnansweredError(`the tool needs a page to be opened: ${toVisibleLine(target.href)}`)
  const { confirm } = await import('./prompts.ts')
  return { action: (await ask(confirm, { message: 'Is it done?', default: true }, signal)) ? 'accept' : 'decline' }
}

/** Fills in a form from the options and, for `--yes`, from the defaults. */
function fillForm(fields: readonly Property[], { given, isYes }: Answers): JsonObject {
  const content: JsonObject = {}
  for (const { name, schema: property } of fields) {
    const text = given.get(name)
    const value = text === undefined ? (isYes ? toAgreement(property) : undefined) : readAnswer(name, text, property)
    if (value !== undefined) content[name] = value
  }
  return content
}

function readAnswer(name: string, text: string, property: unknown): unknown {
  if (isObject(property) && property['type'] === 'array' && !text.startsWith('[')) return text.split(',')
  return readText(`--answer ${name}`, text, PartSchema.create({}, property)).value
}

const toAgreement = (property: unknown): unknown =>
  !isObject(property) ? undefined : (property['default'] ?? (property['type'] === 'boolean' ? true : undefined))

function check(content: JsonObject, schema: Schema): ElicitResult['content'] {
  const [issue] = compileIfPossible(schema)?.issues(content, 1) ?? []
  if (issue !== undefined) throw new UsageError(`--answer ${issue.path}: ${issue.expected}`)
  return content as ElicitResult['content']
}

function describeForm(message: string, missing: readonly Property[]): string {
  const options = missing.map(({ name, schema, isRequired }) => `--answer ${name}=${describe(schema, isRequired)}`)
  const how = options.length === 0 ? '--yes agrees' : `answer it with ${options.join(' ')}`
  return toVisibleLine(`the tool asks «${message}», and there is no terminal to ask in; ${how}`)
}

const describe = (schema: unknown, isRequired: boolean) => `<${formatType(schema)}${isRequired ? '' : ', optional'}>`

/** @param root of the schema, where references of the fields start */
export async function askFields(
  fields: readonly Property[],
  known: JsonObject,
  root: Schema,
  signal: AbortSignal,
): Promise<JsonObject> {
  const content = { ...known }
  for (const { name, schema, isRequired } of fields) {
    if (Object.hasOwn(content, name)) continue
    const value = await askField({ name, schema: resolve(schema, root), isRequired }, root, signal)
    if (value !== undefined) content[name] = value
  }
  return content
}

function resolve(schema: unknown, root: Schema): Schema {
  if (!isObject(schema)) return {}
  const shared = Object.entries(root).filter(([name]) => name === '$defs' || name === 'definitions')
  return { ...Object.fromEntries(shared), ...followReference(schema, root), ...schema }
}

async function askForm(
  fields: readonly Property[],
  known: JsonObject,
  root: Schema,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const { confirm } = await import('./prompts.ts')
  const content = await askFields(fields, known, root, signal)
  const message = fields.length === 0 ? 'Do you agree?' : 'Send this answer?'
  const isAgreed = await ask(confirm, { message, default: fields.length > 0 }, signal)
  return isAgreed ? { action: 'accept', content: content as ElicitResult['content'] } : { action: 'decline' }
}

interface Field extends Property {
  readonly schema: Schema
}

async function askField(
  { name, schema: property, isRequired }: Field,
  root: Schema,
  signal: AbortSignal,
): Promise<unknown> {
  const { checkbox, confirm, input, number, select } = await import('./prompts.ts')
  const [title, note] = [toLabel(property['title'], name), toLabel(property['description'], '')]
  const message = `${title}${note === '' ? '' : ` (${note})`}${isRequired ? '' : ' [optional]'}`
  const fallback = property['default']
  const validator = compileIfPossible(property)
  const validate = (value: unknown) => {
    const isSkipped = !isRequired && (value === undefined || value === '')
    const [issue] = isSkipped ? [] : (validator?.issues(value, 1) ?? [])
    return issue === undefined ? true : toVisibleLine(issue.expected)
  }
  const choices = listChoices(property)
  const items = property['type'] === 'array' ? listChoices(resolve(property['items'], root)) : []
  if (items.length > 0) {
    const checked = Array.isArray(fallback) ? fallback : []
    const all = items.map(choice => ({ ...choice, checked: checked.includes(choice.value) }))
    return ask(checkbox, { message, choices: all, required: isRequired }, signal)
  }
  if (choices.length > 0) {
    const all = isRequired ? choices : [...choices, { name: '(no answer)', value: undefined }]
    return ask(select, { message, choices: all, default: fallback }, signal)
  }
  if (property['type'] === 'boolean') return ask(confirm, { message, default: fallback !== false }, signal)
  if (property['type'] === 'integer' || property['type'] === 'number') {
    const step = property['type'] === 'integer' ? 1 : 'any'
    const given = typeof fallback === 'number' ? fallback : undefined
    return ask(number, { message, default: given, required: isRequired, step, validate } as never, signal)
  }
  if (property['type'] !== 'string') return askText({ name, schema: property, isRequired }, message, root, signal)
  // A terminal would obey control characters in a default.
  const given = typeof fallback === 'string' && toVisible(fallback) === fallback ? fallback : undefined
  const text = await ask(input, { message, default: given, required: isRequired, validate } as never, signal)
  return text === '' && !isRequired ? undefined : text
}

const toLabel = (value: unknown, fallback: string): string =>
  toVisibleLine(typeof value === 'string' ? value : fallback)

/**
 * Asks for lists, objects and unions in the form of a word of the command line; for a list, also
 * with commas.
 */
async function askText({ name, schema, isRequired }: Field, message: string, root: Schema, signal: AbortSignal) {
  const { input } = await import('./prompts.ts')
  const part = PartSchema.create(root, schema)
  const isList = schema['type'] === 'array'
  const read = (text: string) =>
    isList && !text.startsWith('[')
      ? text.split(',').map(each => readText(name, each.trim(), part.item(0)).value)
      : readText(name, text, part).value
  const validate = (text: string) => {
    if (text === '' && !isRequired) return true
    try {
      const [issue] = compileIfPossible(schema)?.issues(read(text), 1) ?? []
      return issue === undefined ? true : toVisibleLine(`${issue.path} ${issue.expected}`)
    } catch (error) {
      return toVisibleLine((error as Error).message)
    }
  }
  const config = { message: `${message} ${toVisibleLine(part.format())}`, required: isRequired, validate }
  const text = await ask(input, config as never, signal)
  return text === '' && !isRequired ? undefined : read(text as string)
}

/** In the form for a prompt. */
const listChoices = (property: Schema) =>
  (findChoices(property) ?? []).map(({ label, value }) => ({ name: toVisibleLine(label), value }))
