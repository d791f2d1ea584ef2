// Parses Markdown into tokens. The lexer is a separate file, so that the first view does not wait
// for it. Until it has loaded, a text is shown as it is.
import type { Token } from 'marked'
import { useEffect, useMemo, useState } from 'preact/hooks'

type Lexer = typeof import('./markdown-lexer.ts')

let loaded: Lexer | undefined

export async function loadLexer(): Promise<Lexer> {
  loaded ??= await import('./markdown-lexer.ts')
  return loaded
}

/** Characters that plain sentences seldom have. Without them, a line needs no parsing. */
const MARKS = /[*_~`[\]<>&\\!@]|:\/\/|www\./

type Read = (lexer: Lexer, text: string) => readonly Token[] | undefined

/** @returns undefined for a text that is shown unchanged */
function useTokens(text: string, isPlain: boolean, read: Read): readonly Token[] | undefined {
  const [lexer, setLexer] = useState<Lexer | undefined>(loaded)
  useEffect(() => {
    // A server that is gone cannot send it; the text stays unchanged.
    if (!isPlain && lexer === undefined) loadLexer().then(setLexer, () => {})
  }, [isPlain, lexer])
  return useMemo(() => (isPlain || lexer === undefined ? undefined : read(lexer, text)), [isPlain, lexer, read, text])
}

/** A whole text. */
export const useMarkdown = (text: string) => useTokens(text, false, readAll)

/** Inline elements: code, links, emphasis. */
export const useInline = (text: string) => useTokens(text, !MARKS.test(text), readInline)

const readAll: Read = (lexer, text) => lexer.parseMarkdown(text)
const readInline: Read = (lexer, text) => lexer.parseInline(text)
