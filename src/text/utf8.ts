// Bytes as text, or undefined: bytes outside UTF-8 are never replaced.
import { isUtf8 } from 'node:buffer'

/** @returns the text with its byte order mark; undefined if the bytes are not UTF-8 */
export const decodeUtf8 = (bytes: Buffer): string | undefined => (isUtf8(bytes) ? bytes.toString('utf8') : undefined)

/** @returns the text without a byte order mark; undefined if the bytes are not UTF-8 */
export const readUtf8 = (bytes: Buffer): string | undefined => decodeUtf8(bytes)?.replace(/^\uFEFF/, '')
