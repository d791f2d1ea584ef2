// JSON text as literals of other languages. Numbers stay as they are written.
import { toTs } from '../../../src/clients/quote.ts'
import { type JsonToken, layoutJson } from '../parts/json-layout.ts'

type Translate = (token: JsonToken) => string

/** Line by line; the last member of a block gets a comma, if the language's people write one. */
function translate(json: string, toText: Translate, hasTrailingComma: boolean): string {
  const { lineCount, readLine } = layoutJson(json)
  const written = Array.from({ length: lineCount }, (_, index) => readLine(index).map(toText).join(''))
  if (!hasTrailingComma) return written.join('\n')
  return written
    .map((line, index) => (/[^,[{]$/.test(line) && /^\s*[\]}]/.test(written[index + 1] ?? '') ? `${line},` : line))
    .join('\n')
}

export const toTypeScript = (json: string): string =>
  translate(
    json,
    ({ kind, text }) => {
      if (kind === 'key') return toKey(JSON.parse(text))
      return kind === 'string' ? toTs(JSON.parse(text)) : text
    },
    true,
  )

/** `__proto__: …` would set the prototype. */
const toKey = (name: string): string => {
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : toTs(name)
}

const WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

export const toPython = (json: string): string => {
  const text = translate(
    json,
    ({ kind, text }) => {
      // The escapes that JSON writes by itself are Python's, too; others, such as `\/`, are not.
      if (kind === 'key' || kind === 'string') return JSON.stringify(JSON.parse(text))
      return kind === 'word' ? (WORDS[text] ?? text) : text
    },
    true,
  )
  // Python's people indent by four.
  return text.replace(/^ +/gm, blanks => blanks + blanks)
}

/** Without blanks and line breaks. */
export const minify = (json: string): string => {
  const { lineCount, readLine } = layoutJson(json)
  const tokens = Array.from({ length: lineCount }, (_, index) => readLine(index)).flat()
  return tokens
    .map(({ text }) => text)
    .filter(text => text.trim() !== '')
    .join('')
}

/** The request of a call. The arguments go in as they are written. */
export function toMessageJson(tool: string, argsText: string, meta: object | undefined): string {
  const args = argsText.trim() === '' ? '{}' : argsText
  const params = `"name":${JSON.stringify(tool)},"arguments":${args}${meta ? `,"_meta":${JSON.stringify(meta)}` : ''}`
  return translate(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}}`, ({ text }) => text, false)
}
