// The data that the page shows to one caller. Cleans and cuts texts of tools.
import { firstSentence, formatSignature, listMarks } from '@toolrack/json-schema/signature'
import { MAX_ICON_URL } from 'toolrack/settings'
import { cleanText, cutText } from 'toolrack/text'
import { createToolCurl } from '../clients/curl.ts'
import type { Client } from '../clients/index.ts'

/** The kind of a tool, by its annotations. */
export type ToolKind = 'read-only' | 'changes' | 'destructive'

export interface PageTool {
  readonly name: string
  readonly kind: ToolKind
  /** The first sentence of its description, else its title. */
  readonly summary: string
  readonly signature: string
  readonly isTask: boolean
  readonly scopes: readonly string[]
  /** The call by plain HTTP; undefined if that is off. */
  readonly curl?: string | undefined
}

export interface PageModel {
  readonly name: string
  readonly title?: string | undefined
  readonly version: string
  /** The version of Toolrack. */
  readonly toolrackVersion: string
  readonly icon?: string | undefined
  readonly websiteUrl?: string | undefined
  /** One line below the name. */
  readonly lead?: string | undefined
  /** Shown when the reader unfolds it. */
  readonly instructions?: string | undefined
  /** The endpoint's URL, as clients write it. */
  readonly url: string
  readonly revisions: readonly string[]
  /** Where clients sign in. */
  readonly signInHosts: readonly string[]
  /** Everything that the caller may see; undefined if a token is needed first. */
  readonly offer?: Offer | undefined
  readonly clients: readonly Client[]
  /** Relative URLs; undefined for a part that the server lacks. */
  readonly links: { readonly console?: string | undefined; readonly openApi?: string | undefined }
  /** Features that are off, with the setting that turns each on. Sentences, with code in backticks. */
  readonly hints: readonly string[]
}

export interface Offer {
  /** The first `MAX_TOOLS`. */
  readonly tools: readonly PageTool[]
  readonly toolCount: number
  readonly resourceCount: number
  readonly promptCount: number
  /** Where to put a first tool; undefined if the server has tools. */
  readonly firstTool?: FirstTool | undefined
}

export interface FirstTool {
  /** In the operator's terms: `tools/`. Undefined if the program adds the tools. */
  readonly folder?: string | undefined
}

/** Tools on a page; a browser shows more of them slowly, and the console searches them. */
export const MAX_TOOLS = 200
const MAX_DESCRIPTION = 1000
const MAX_TITLE = 200
const MAX_SIGNATURE = 500
const MAX_INSTRUCTIONS = 5000

const clean = (text: unknown, max: number): string | undefined =>
  typeof text === 'string' && text !== '' ? cutText(cleanText(text.slice(0, max + 1)), max) : undefined

type Listed = Readonly<Record<string, unknown>> & { readonly name: string }

interface ToolContext {
  readonly scopes: readonly string[]
  /** The URL of `GET /tools`; undefined if plain HTTP is off. */
  readonly plainHttp?: string | undefined
  readonly needsToken: boolean
}

/** @param listed a tool as clients see it */
export function toPageTool(listed: Listed, { scopes, plainHttp, needsToken }: ToolContext): PageTool {
  const { name, title, description, annotations } = listed
  const hints = (annotations ?? {}) as Readonly<Record<string, unknown>>
  const marks = listMarks(listed)
  const sentence = firstSentence(clean(description, MAX_DESCRIPTION))
  return {
    name,
    kind: marks.includes('read-only') ? 'read-only' : marks.includes('destructive') ? 'destructive' : 'changes',
    // A cell of a table has no full stop.
    summary: sentence.replace(/(?<!\.)\.$/, '') || (clean(title ?? hints['title'], MAX_TITLE) ?? ''),
    signature: clean(formatSignature(listed), MAX_SIGNATURE) ?? name,
    isTask: marks.includes('task'),
    scopes,
    curl: plainHttp === undefined ? undefined : createToolCurl(plainHttp, listed, needsToken),
  }
}

interface Said {
  readonly description?: string | undefined
  readonly instructions?: string | undefined
}

/** The line below the name, and the rest, which is folded. */
export function describeServer({ description, instructions }: Said): Pick<PageModel, 'lead' | 'instructions'> {
  const lead = clean(description, MAX_DESCRIPTION)
  const text = clean(instructions?.trim(), MAX_INSTRUCTIONS)
  if (lead !== undefined || text === undefined) return { lead, instructions: text }
  const sentence = firstSentence(text)
  const rest = text.startsWith(sentence) ? text.slice(sentence.length).trim() : text
  return { lead: sentence, instructions: rest === '' ? undefined : rest }
}

export const cleanTitle = (title: string | undefined) => clean(title, MAX_TITLE)

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
