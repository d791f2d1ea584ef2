// HTML that escapes all values: only the fixed text of a template is used as it is.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string) => text.replace(/[&<>"']/g, found => ENTITIES[found]!)

/** Made by `html`, `Html.style` and `Html.script` only. */
export class Html {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  /** Attribute values are in quotes. They must not be URLs or styles that a stranger chose. */
  static template(strings: readonly string[], parts: readonly HtmlPart[]): Html {
    return new Html(strings.reduce((text, string, at) => text + toText(parts[at - 1]) + string))
  }

  /** @throws TypeError if the style could end its element */
  static style(css: string): Html {
    if (css.includes('<')) throw new TypeError('a style sheet has no <')
    return new Html(`<style>${css}</style>`)
  }

  /** @throws TypeError if the script could end its element */
  static script(code: string): Html {
    if (code.includes('<')) throw new TypeError('the script has no <')
    return new Html(`<script>${code}</script>`)
  }

  toString(): string {
    return this.#text
  }
}

/** `undefined` and `false` add nothing. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[]

function toText(part: HtmlPart): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.toString()
  if (Array.isArray(part)) return part.map(toText).join('')
  return escapeText(String(part))
}

export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  Html.template(strings, parts)
