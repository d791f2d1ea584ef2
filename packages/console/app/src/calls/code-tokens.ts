// The colours of the snippets: strings, numbers and the words of the language.
import type { JsonToken } from '../parts/json-layout.ts'
import type { Language } from './snippets.ts'

const WORDS: Readonly<Record<Language, readonly string[]>> = {
  curl: ['curl'],
  typescript: ['import', 'from', 'const', 'new', 'await', 'true', 'false', 'null'],
  python: ['import', 'from', 'async', 'await', 'def', 'with', 'as', 'print', 'or', 'True', 'False', 'None'],
  mcp: ['true', 'false', 'null'],
}

/** A string of any of the three quotes, a word, a number, or one other character. */
const TOKEN = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|[A-Za-z_$][\w$]*|-?\d[\d.eE+-]*|[\s\S]/g

export function toCodeTokens(code: string, language: Language): readonly JsonToken[] {
  const tokens: JsonToken[] = []
  for (const [text] of code.matchAll(TOKEN)) {
    const kind = findKind(text, language)
    const before = tokens.at(-1)
    // What has no colour is one text.
    if (kind === 'key' && before?.kind === 'key') tokens[tokens.length - 1] = { kind, text: before.text + text }
    else tokens.push({ kind, text })
  }
  return tokens
}

function findKind(text: string, language: Language): JsonToken['kind'] {
  if (/^['"`]./s.test(text)) return 'string'
  if (/^-?\d/.test(text)) return language === 'curl' ? 'key' : 'number'
  return WORDS[language].includes(text) ? 'word' : 'key'
}
