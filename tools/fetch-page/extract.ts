// Turns HTML into the part that a reader wants: the article, or the whole page if there is none.
import { stripTags } from '../_web/strip-tags.ts'
import { toText, withoutImages } from '../_web/without-images.ts'
import type { DomElement, DomNode } from './dom.ts'
import { render } from './render.ts'

export interface Extract {
  title: string
  byline?: string
  excerpt?: string
  text: string
}

interface DomDocument {
  readonly title: string
  readonly documentElement: DomElement & { append(...nodes: DomNode[]): void }
  readonly body: DomElement
  createElement(name: string): DomElement & { append(...nodes: DomNode[]): void }
  querySelector(selector: string): DomElement | null
}

/** A larger tree takes over half of a worker's memory; such a page is returned as plain text. */
const MAX_TAGS = 40_000
const MAX_CHARACTERS = 2 * 1024 * 1024
const MAX_FIELD = 500

export async function extract(html: string, url: URL): Promise<Extract> {
  if (html.length > MAX_CHARACTERS || countTags(html) > MAX_TAGS) return { title: titleOf(html), text: plainText(html) }
  try {
    return await fromTree(html, url)
  } catch (error) {
    // The page is nested too deeply for the stack.
    if (!(error instanceof RangeError)) throw error
    return { title: titleOf(html), text: plainText(html) }
  }
}

function countTags(html: string): number {
  let count = 0
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) count++
  return count
}

const plainText = (html: string) => withoutImages(stripTags(html))

const titleOf = (html: string) => field(stripTags(/<title[^<>]*>([^<]{0,1000})/i.exec(html)?.[1] ?? '')) ?? ''

async function fromTree(html: string, url: URL): Promise<Extract> {
  const [{ parseHTML }, { isProbablyReaderable, Readability }] = await Promise.all([
    import('linkedom'),
    import('./readability.ts'),
  ])
  const { document } = parseHTML(withRoot(html))
  const page: DomDocument = document
  ensureBody(page)
  const title = field(page.title) ?? titleOf(html)
  const base = URL.parse(page.querySelector('base[href]')?.getAttribute('href') ?? '', url.href) ?? url
  const notice = refreshNotice(page, base)
  const whole = () => ({ title, text: (notice + render(page.body, base)).trim() })
  // The extractor changes the tree, so a page without an article must not reach it.
  if (!isProbablyReaderable(document)) return whole()
  const article = new Readability<DomNode>(document, { serializer: node => node as DomNode }).parse()
  if (article?.content == null) return { title, text: notice + plainText(html) }
  return {
    title: field(article.title) ?? title,
    byline: field(article.byline),
    excerpt: field(article.excerpt),
    text: notice + render(article.content, base),
  }
}

// linkedom takes the first element as the root, whatever it is.
const withRoot = (html: string) => (/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`)

function ensureBody(page: DomDocument): void {
  if (page.querySelector('body, frameset') !== null) return
  const body = page.createElement('body')
  body.append(...[...page.documentElement.childNodes].filter(({ nodeName }) => nodeName.toUpperCase() !== 'HEAD'))
  page.documentElement.append(body)
}

// The tool reports a redirect of the page and does not follow it.
function refreshNotice(page: DomDocument, base: URL): string {
  const refresh = page.querySelector('meta[http-equiv="refresh" i]')?.getAttribute('content') ?? ''
  const target = /^\s*[\d.]*\s*[;,]\s*url\s*=\s*["']?([^"']{1,2000})/i.exec(refresh)?.[1]
  const url = target === undefined ? null : URL.parse(target.trim(), base.href)
  if (url === null || !/^https?:$/.test(url.protocol)) return ''
  return `[This page sends its readers on to ${toText(url)}, which was not followed.]\n\n`
}

function field(value: string | null | undefined): string | undefined {
  const text = withoutImages(value ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_FIELD)
  return text === '' ? undefined : text
}
