// Markdown as tokens, within bounds: a text that would take too long stays plain text.
import { Lexer, type MarkedToken, type Token } from 'marked'

/** Nobody reads longer texts as a page, so they are shown as plain text. */
const MAX_CHARACTERS = 100_000
/** Depth of quotes within quotes, and lists within lists. */
const MAX_DEPTH = 40
/** Marks of emphasis in one paragraph. The time to pair them grows with the square of their number. */
const MAX_MARKS = 1_000
const BUDGET_MS = 300

class TooMuch extends Error {}

/** Counts while it reads, and gives up at a bound. The parser itself has none. */
class BoundedLexer extends Lexer {
  #depth = 0
  #until = performance.now() + BUDGET_MS

  override blockTokens(...args: Parameters<Lexer['blockTokens']>): never {
    return this.#within(() => super.blockTokens(...args)) as never
  }

  override inlineTokens(src: string, tokens?: Token[]): Token[] {
    if ((src.match(/[*_~]/g)?.length ?? 0) > MAX_MARKS) throw new TooMuch()
    return this.#within(() => super.inlineTokens(src, tokens))
  }

  #within<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH || performance.now() > this.#until) throw new TooMuch()
    try {
      return read()
    } finally {
      this.#depth--
    }
  }
}

/** @returns undefined if the text is too long, too deep or too costly */
export function parseMarkdown(text: string): readonly Token[] | undefined {
  return read(text, lexer => closeGaps(lexer.lex(text)))
}

/** Headings start at the first level, and no level is skipped, because screen readers rely on it. */
function closeGaps(tokens: Token[]): Token[] {
  const above: number[] = []
  const visit = (all: readonly Token[]) => {
    for (const token of all as readonly MarkedToken[]) {
      if (token.type === 'list') for (const item of token.items) visit(item.tokens)
      else if (token.type === 'blockquote') visit(token.tokens)
      if (token.type !== 'heading') continue
      while (above.length > 0 && above.at(-1)! >= token.depth) above.pop()
      token.depth = above.push(token.depth)
    }
  }
  visit(tokens)
  return tokens
}

/** Only inline elements: code, links, emphasis. */
export function parseInline(text: string): readonly Token[] | undefined {
  return read(text, lexer => lexer.inlineTokens(text))
}

function read(text: string, lex: (lexer: Lexer) => Token[]): Token[] | undefined {
  if (text.length > MAX_CHARACTERS) return undefined
  try {
    return lex(new BoundedLexer({ gfm: true, breaks: false }))
  } catch {
    // A bound, or a bug of the parser. The plain text is always correct.
    return undefined
  }
}
