// Makes names, types and links of a tool safe: each becomes one of a few harmless ones.

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

/** Longer URLs are shown, but cannot be followed. */
const MAX_LINK = 2_000
const MAX_NAME = 100

/** The type without parameters, in lower case. */
export const toMediaType = (mimeType: unknown): string =>
  typeof mimeType === 'string' ? mimeType.split(';', 1)[0]!.trim().toLowerCase() : ''

/**
 * Types that are safe in an `<img>`: it never runs scripts, and never loads anything that the
 * picture names.
 */
export const isPicture = (mimeType: unknown): boolean => PICTURES.has(toMediaType(mimeType))

export const isAudio = (mimeType: unknown): boolean => /^audio\/[a-z0-9.+-]{1,60}$/.test(toMediaType(mimeType))

/** The whole URL as the browser would open it, if it is a web address; other text stays text. */
export function toWebUrl(uri: string): string | undefined {
  if (uri.length > MAX_LINK || !URL.canParse(uri)) return undefined
  const { protocol, username, password, href } = new URL(uri)
  const isWeb = protocol === 'http:' || protocol === 'https:'
  // Text before the @ looks like the host.
  return isWeb && username === '' && password === '' ? href : undefined
}

/**
 * The target of a link in a tool's text: only the web, or a mail program. `place` is the part that
 * the reader must see.
 */
export function toLinkTarget(uri: string): { readonly href: string; readonly place: string } | undefined {
  const web = toWebUrl(uri)
  if (web !== undefined) return { href: web, place: new URL(web).host }
  if (!/^mailto:[^\s?]+$/i.test(uri) || uri.length > 300) return undefined
  return { href: uri, place: uri.slice('mailto:'.length) }
}

/** A name for a download: the last part of a path, with characters that every system accepts. */
export function toFileName(name: string): string {
  const last = name.split(/[/\\]/).findLast(part => part !== '') ?? ''
  const clean = last.replace(/[^\p{L}\p{N}._ -]/gu, '_').replace(/^[. ]+|[. ]+$/g, '')
  return clean.slice(-MAX_NAME) || 'download'
}

/** A name for content without one, with the extension of its type. */
export function nameByType(kind: string, mimeType: string): string {
  const [, extension] = /\/([a-z0-9]{1,8})(?:\+xml)?$/.exec(toMediaType(mimeType)) ?? []
  return extension === undefined ? kind : `${kind}.${extension}`
}

/** The bytes of base64; undefined if it is not base64. */
export function fromBase64(data: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof data !== 'string') return undefined
  try {
    return Uint8Array.from(atob(data), each => each.charCodeAt(0))
  } catch {
    return undefined
  }
}
