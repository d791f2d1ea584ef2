// Adds the entry of one server to the text of a client's file. Comments and formatting of all other
// text stay. A file that it does not understand is refused, with line and column.
import { isDeepStrictEqual } from 'node:util'
import { modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { parse as parseToml, TomlError } from 'smol-toml'
import type { JsonObject } from 'toolrack'
import { type ClientFile, toTable } from 'toolrack/clients'
import { isObject } from 'toolrack/protocol'
import { CommandError } from '../errors.ts'

/** @param name of the file, for messages @throws CommandError */
export function editFile(text: string, file: ClientFile, name: string): string {
  const bom = text.startsWith('\ufeff') ? '\ufeff' : ''
  const body = text.slice(bom.length)
  return bom + (file.format === 'json' ? editJson(body, file, name) : editToml(body, file, name))
}

function editJson(text: string, { servers, key, entry, also }: ClientFile, name: string): string {
  const layout = findLayout(text)
  const set = (before: string, path: (string | number)[], value: unknown, depth: number) =>
    insert(before, { path, value, depth, layout })
  const old = readJson(text, name)
  assertEntries(old, servers, name)
  let edited = text.trim() === '' ? '{}' : text
  for (const [member, items] of Object.entries(also)) {
    for (const item of items) {
      const there = old[member]
      if (there !== undefined && !Array.isArray(there)) throw unfit(name, `"${member}" is not a list`)
      if (there?.some(each => isObject(each) && each['id'] === item.id)) continue
      edited = there === undefined ? set(edited, [member], [item], 0) : set(edited, [member, -1], item, 1)
    }
  }
  if (!isDeepStrictEqual((old[servers] as JsonObject | undefined)?.[key], entry))
    edited = set(edited, [servers, key], entry, old[servers] === undefined ? 0 : 1)
  // If a member is there twice, the parser reads the last one, but the editor changes the first.
  if (!isDeepStrictEqual((readJson(edited, name)[servers] as JsonObject)[key], entry))
    throw unfit(name, `"${servers}" stands there twice`)
  return edited === text || edited.endsWith('\n') ? edited : `${edited}${layout.eol}`
}

function readJson(text: string, name: string): JsonObject {
  if (text.trim() === '') return {}
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error !== undefined) {
    const before = text.slice(0, error.offset).split('\n')
    const what = printParseErrorCode(error.error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    throw new CommandError(
      `${name}:${before.length}:${before.at(-1)!.length + 1}: ${what.toLowerCase()}; expected JSON, so nothing is written`,
    )
  }
  if (!isObject(value)) throw unfit(name, 'it is not a JSON object')
  return value
}

function assertEntries(file: JsonObject, servers: string, name: string): void {
  if (file[servers] !== undefined && !isObject(file[servers])) throw unfit(name, `"${servers}" is not an object`)
}

const unfit = (name: string, reason: string) => new CommandError(`${name}: ${reason}, so nothing is written`)

interface Layout {
  readonly unit: string
  readonly eol: string
}

/** The indentation and the line ends of the file. */
const findLayout = (text: string): Layout => ({ unit: /^([\t ]+)\S/m.exec(text)?.[1] ?? '  ', eol: findEol(text) })

interface Insertion {
  readonly path: (string | number)[]
  readonly value: unknown
  /** Depth of the object, or the list, that gets the new member. */
  readonly depth: number
  readonly layout: Layout
}

/**
 * The library finds the position. It is not used for the text, since it would also reformat the
 * user's lines.
 */
function insert(text: string, { path, value, depth, layout: { unit, eol } }: Insertion): string {
  const [edit] = modify(text, path, value, { isArrayInsertion: path.at(-1) === -1 })
  const { offset, length, content } = edit!
  const [, comma = '', member = ''] = /^(,?)(.*)$/s.exec(content) ?? []
  const indent = (lines: readonly string[], by: number) => lines.join(`${eol}${unit.repeat(by)}`)
  // A new value for an existing member comes after its name.
  if (length > 0) return splice(text, edit!, indent(toLines(JSON.parse(member), unit), depth + 1))
  const isProperty = path.at(-1) !== -1
  const lines = toLines(JSON.parse(isProperty ? `{${member}}` : `[${member}]`), unit).slice(1, -1)
  const isClosedOnLine = /^[^\S\n]*[}\]]/.test(text.slice(offset))
  const tail = isClosedOnLine ? `${eol}${unit.repeat(depth)}` : ''
  const [note, trailing] = NOTE_BEHIND.exec(text.slice(offset)) ?? []
  if (comma !== '' && note !== undefined)
    return splice(
      text,
      { offset, length: note.length },
      `${trailing ? '' : comma}${note}${eol}${unit.repeat(depth)}${indent(lines, depth)}`,
    )
  const lead = `${comma}${eol}${unit.repeat(depth)}`
  const end = offset + (isClosedOnLine ? /^\s*/.exec(text.slice(offset))![0].length : 0)
  return splice(text, { offset, length: end - offset }, `${lead}${indent(lines, depth)}${tail}`)
}

/** A comment at the end of a line belongs to the member before it, which may have a comma. */
const NOTE_BEHIND = /^[^\S\n]*(,?)[^\S\n]*(?:\/\/[^\r\n]*|\/\*[^\n]*?\*\/(?=[^\S\n]*\n))/

const toLines = (value: unknown, unit: string): readonly string[] => JSON.stringify(value, undefined, unit).split('\n')

const splice = (
  text: string,
  { offset, length }: { readonly offset: number; readonly length: number },
  content: string,
) => text.slice(0, offset) + content + text.slice(offset + length)

const findEol = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** Appends the table, or replaces an existing one. All other text stays as it is. */
function editToml(text: string, { servers, key, entry }: ClientFile, name: string): string {
  const whole = readToml(text, name)
  const old = whole[servers]
  if (old !== undefined && !isObject(old)) throw unfit(name, `${servers} is not a table`)
  if (isDeepStrictEqual(plain(old?.[key]), entry)) return text
  const eol = findEol(text)
  const table = `${toTable(servers, key, entry).replaceAll('\n', eol)}${eol}`
  const lead = text === '' ? '' : `${text.endsWith('\n') ? '' : eol}${eol}`
  const edited = old?.[key] === undefined ? `${text}${lead}${table}` : replaceTable(text, `[${servers}.${key}]`, table)
  const expected = { ...whole, [servers]: { ...old, [key]: entry } }
  if (!isDeepStrictEqual(plain(parseTomlIfValid(edited)), plain(expected)))
    throw unfit(
      name,
      `[${servers}.${key}] cannot be added to the entries of the file; write it by hand, or pass another --name`,
    )
  return edited
}

/** The table ends before the next table and its comment. Other forms of tables are left as they are. */
function replaceTable(text: string, header: string, table: string): string {
  const lines = text.split(/(?<=\n)/)
  const start = lines.findIndex(line => line.trim() === header)
  if (start === -1) return text
  const next = lines.findIndex((line, index) => index > start && /^\s*\[/.test(line))
  let end = next === -1 ? lines.length : next
  while (/^\s*(?:#.*)?$/.test(lines[end - 1]!.trimEnd())) end -= 1
  return [...lines.slice(0, start), table, ...lines.slice(end)].join('')
}

function readToml(text: string, name: string): JsonObject {
  try {
    return parseToml(text) as JsonObject
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [what] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
    throw new CommandError(`${name}:${error.line}:${error.column}: ${what}; expected TOML, so nothing is written`)
  }
}

function parseTomlIfValid(text: string): unknown {
  try {
    return parseToml(text)
  } catch (error) {
    if (error instanceof TomlError) return undefined
    throw error
  }
}

/** Tables of the parser lack a prototype. */
const plain = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)])) : value
