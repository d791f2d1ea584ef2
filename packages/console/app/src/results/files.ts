// Makes names, types and links of a tool safe to use: each becomes one of a few that are harmless.

const PICTURES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
  'image/svg+xml',
])

/** Longer URLs are shown, and cannot be followed. */
const MAX_LINK = 2_000
const MAX_NAME = 100

/** The type without parameters, in lower case. */
export const toMediaType = (mimeType: unknown): string =>
  typeof mimeType === 'string' ? mimeType.split(';', 1)[0]!.trim().toLowerCase() : ''

/** What an `<img>` may get: it never runs scripts, and never loads anything that the picture names. */
export const isPicture = (mimeType: unknown): boolean => PICTURES.has(toMediaType(mimeType))

export const isAudio = (mimeType: unknown): boolean => /^audio\/[a-z0-9.+-]{1,60}$/.test(toMediaType(mimeType))

/** The whole URL as the browser would open it, if it is one of the web; everything else stays text. */
export function toWebUrl(uri: string): string | undefined {
  if (uri.length > MAX_LINK || !URL.canParse(uri)) return undefined
  const { protocol, username, password, href } = new URL(uri)
  const isWeb = protocol === 'http:' || protocol === 'https:'
  // What stands before the @ looks like the host.
  return isWeb && username === '' && password === '' ? href : undefined
}

/** Where a link of a tool's text may lead: to the web, or to a mail program. `place` is what the reader has to know. */
export function toLinkTarget(uri: string): { readonly href: string; readonly place: string } | undefined {
  const web = toWebUrl(uri)
  if (web !== undefined) return { href: web, place: new URL(web).host }
  if (!/^mailto:[^\s?]+$/i.test(uri) || uri.length > 300) return undefined
  return { href: uri, place: uri.slice('mailto:'.length) }
}

/** A name for a download: the last part of a path, with characters that every system takes. */
export function toFileName(name: string): string {
  const last = name.split(/[/\\]/).findLast(part => part !== '') ?? ''
  const clean = last.replace(/[^\p{L}\p{N}._ -]/gu, '_').replace(/^[. ]+|[. ]+$/g, '')
  return clean.slice(-MAX_NAME) || 'download'
}

/** A name for what has none, with the extension of its type. */
export function nameByType(kind: string, mimeType: string): string {
  const [, extension] = /\/([a-z0-9]{1,8})(?:\+xml)?$/.exec(toMediaType(mimeType)) ?? []
  return extension === undefined ? kind : `${kind}.${extension}`
}

/** Bytes of base64, or undefined where it is not base64. */
export function fromBase64(data: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof data !== 'string') return undefined
  try {
    return Uint8Array.from(atob(data), each => each.charCodeAt(0))
  } catch {
    return undefined
  }
}
