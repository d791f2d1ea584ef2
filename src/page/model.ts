// What the page shows, as it is for one caller. Texts of tools are cleaned and cut here.
import type { Client } from '../clients/index.ts'
import { MAX_ICON_URL } from '../config/icon.ts'
import { cleanText } from '../registry/clean-text.ts'
import { formatSignature } from '../signature.ts'
import { cutText } from '../text/one-line.ts'

export interface PageTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly signature: string
  readonly isReadOnly: boolean
  readonly isDestructive: boolean
}

export interface PageModel {
  readonly name: string
  readonly title?: string | undefined
  readonly version: string
  readonly icon?: string | undefined
  readonly description?: string | undefined
  readonly websiteUrl?: string | undefined
  readonly instructions?: string | undefined
  /** The endpoint's URL, as clients write it. */
  readonly url: string
  readonly revisions: readonly string[]
  /** What the caller may see; undefined if it has to show a token first. */
  readonly offer?: Offer | undefined
  readonly clients: readonly Client[]
  /** Relative URLs; undefined if the server does not have it. */
  readonly links: { readonly console?: string | undefined; readonly openApi?: string | undefined }
}

export interface Offer {
  /** The first `MAX_TOOLS`. */
  readonly tools: readonly PageTool[]
  readonly toolCount: number
  readonly resourceCount: number
  readonly promptCount: number
}

/** Tools on a page; a browser shows more of them slowly, and the console searches them. */
export const MAX_TOOLS = 200
const MAX_DESCRIPTION = 1000
const MAX_TITLE = 200
const MAX_SIGNATURE = 500
const MAX_INSTRUCTIONS = 5000

const clean = (text: unknown, max: number): string | undefined =>
  typeof text === 'string' && text !== '' ? cutText(cleanText(text.slice(0, max + 1)), max) : undefined

/** @param listed a tool as clients see it */
export function toPageTool(listed: Readonly<Record<string, unknown>>): PageTool {
  const { title, description, annotations } = listed
  const hints = (annotations ?? {}) as Readonly<Record<string, unknown>>
  const name = String(listed['name'])
  return {
    name,
    title: clean(title ?? hints['title'], MAX_TITLE),
    description: clean(description, MAX_DESCRIPTION),
    signature: clean(formatSignature({ ...listed, name }), MAX_SIGNATURE) ?? name,
    isReadOnly: hints['readOnlyHint'] === true,
    isDestructive: hints['readOnlyHint'] !== true && hints['destructiveHint'] === true,
  }
}

export const cleanTitle = (title: string | undefined) => clean(title, MAX_TITLE)
export const cleanDescription = (text: string | undefined) => clean(text, MAX_DESCRIPTION)
export const cleanInstructions = (text: string | undefined) => clean(text, MAX_INSTRUCTIONS)

/** Spec 2026-07-28: schema, Icon: `https:` or `data:`. An image runs no script, not even an SVG. */
export function findIcon(icons: readonly object[] = []): string | undefined {
  const sources = icons.map(icon => (icon as { readonly src?: unknown }).src)
  return sources.find(
    (src): src is string =>
      typeof src === 'string' &&
      src.length <= MAX_ICON_URL &&
      /^(?:https:\/\/|data:image\/[a-z0-9.+-]+[;,])/i.test(src),
  )
}
