// SERVER_ICON: a URL, or an image file that becomes a URL with all its bytes.
import type { Icon } from '../protocol/schemas/contents.ts'
import { hasCredentials } from '../text/url-credentials.ts'
import { readSettingFile } from './setting-file.ts'

export const MAX_ICON_FILE_BYTES = 64 * 1024
/** The characters of a `data:` URL: room for the largest file. */
export const MAX_ICON_URL = 96 * 1024

const FORMS = 'an https: or data: URL of an image, or the path of a PNG, JPEG, WebP or SVG file'
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml']
const DATA_URL = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[\w=.-]+)*,\S+$/i

/**
 * Spec 2026-07-28: basic/index, "icons".
 *
 * @param value of the setting
 * @throws Error that names the expected form
 */
export function readIcon(value: string): Icon {
  if (/^data:/i.test(value)) return readDataUrl(value)
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(value)) return readUrl(value)
  const bytes = readSettingFile(value, MAX_ICON_FILE_BYTES)
  const mimeType = findImageType(bytes)
  if (mimeType === undefined) throw new Error(`expected ${FORMS}, not another file`)
  return { src: `data:${mimeType};base64,${bytes.toString('base64')}`, mimeType }
}

function readUrl(value: string): Icon {
  const url = URL.parse(value)
  const isFit = url?.protocol === 'https:' && !hasCredentials(url)
  if (!isFit || /\s/.test(value) || value.length > MAX_ICON_URL) throw new Error(`expected ${FORMS}`)
  return { src: value }
}

function readDataUrl(value: string): Icon {
  const mimeType = value.length <= MAX_ICON_URL ? DATA_URL.exec(value)?.[1]?.toLowerCase() : undefined
  if (mimeType === undefined || !TYPES.includes(mimeType))
    throw new Error(`expected ${FORMS}; a data: URL has one of ${TYPES.join(', ')}, and ${MAX_ICON_URL} characters`)
  return { src: value, mimeType }
}

/** By the content: names of files lie, and those of mounted ones may have no ending. */
function findImageType(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8).equals(PNG)) return 'image/png'
  if (bytes.subarray(0, 3).equals(JPEG)) return 'image/jpeg'
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'image/webp'
  return SVG.test(bytes.toString('utf8')) ? 'image/svg+xml' : undefined
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const JPEG = Buffer.from([0xff, 0xd8, 0xff])
/** Behind a declaration, comments and a document type. */
const SVG = /^\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>\s*)*<svg[\s>/]/i
