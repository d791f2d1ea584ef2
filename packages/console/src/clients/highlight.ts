// Colours a snippet: its strings, numbers, words and marks. Good enough for the snippets of this
// folder; unknown text stays as it is.
import type { Language } from './client.ts'

export interface Token {
  /** `s` string, `n` number, `w` word, `p` mark; none for the rest. */
  readonly kind?: 's' | 'n' | 'w' | 'p'
  readonly text: string
}

const STRING = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`
const WORDS = 'import|from|export|default|const|await|async|new|return'

/** Groups: string, number, word, mark. For readers, a key of JSON is not a string. */
const PATTERNS: Readonly<Partial<Record<Language, RegExp>>> = {
  json: /("(?:[^"\\\n]|\\.)*")(?!\s*:)|(?<![\w"])(-?\d[\d.]*)(?!["\w])|\b(true|false|null)\b(?!")|(?:"(?:[^"\\\n]|\\.)*"(?=\s*:))|([{}[\],])/g,
  toml: new RegExp(`(${STRING})`, 'g'),
  ts: new RegExp(`(${STRING}|\`[^\`]*\`)|(?<![\\w$])(\\d[\\d_.]*)(?!\\w)|(?<![\\w$.])(${WORDS})(?![\\w$:])`, 'g'),
}

export function highlight(text: string, language: Language): readonly Token[] {
  const pattern = PATTERNS[language]
  if (pattern === undefined) return [{ text }]
  const tokens: Token[] = []
  let end = 0
  const push = (token: Token) => token.text !== '' && tokens.push(token)
  for (const match of text.matchAll(pattern)) {
    const [found, string, number, word, mark] = match
    const kind = string ? 's' : number ? 'n' : word ? 'w' : mark ? 'p' : undefined
    push({ text: text.slice(end, match.index) })
    push(kind === undefined ? { text: found } : { kind, text: found })
    end = match.index + found.length
  }
  push({ text: text.slice(end) })
  return tokens
}

/** Words in backticks are code: `[text, code, text, code, …]`. */
export const splitCode = (text: string): readonly string[] => text.split(/`([^`]+)`/)
