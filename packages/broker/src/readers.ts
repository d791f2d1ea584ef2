// Readers of settings from text, each with its own error. The server has its own readers, whose code
// an image of the broker would otherwise have to contain.

import { isIP } from 'node:net'
import { parse as parseTime } from '@lukeed/ms'
import { isAddressBlock, isLoopback } from 'toolrack/settings'

/** @throws Error naming the expected value */
export type Reader<T> = (text: string) => T

export const expected = (what: string) => new Error(`expected ${what}`)

/** Without empty entries. */
export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '')

/** @throws Error for an empty list */
export function words(text: string, what = 'a list, separated by commas'): string[] {
  const all = splitList(text)
  if (all.length === 0) throw expected(what)
  return all
}

const list =
  (isRight: (word: string) => boolean, what: string): Reader<readonly string[]> =>
  text => {
    const all = words(text, what)
    if (!all.every(isRight)) throw expected(what)
    return all
  }

const matching =
  (pattern: RegExp, what: string): Reader<string> =>
  text => {
    if (!pattern.test(text)) throw expected(what)
    return text
  }

export const anyText: Reader<string> = text => text

export const integer =
  (min: number, max: number): Reader<number> =>
  text => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max)) throw expected(`an integer from ${min} to ${max}`)
    return number
  }

export const choice =
  (...options: readonly string[]): Reader<string> =>
  text => {
    if (!options.includes(text)) throw expected(`one of ${options.join(', ')}`)
    return text
  }

/** Milliseconds, or a time such as `10 minutes`. */
export const duration =
  (minMs: number, maxMs: number): Reader<number> =>
  text => {
    const ms = /^\d+$/.test(text) ? Number(text) : parseTime(text)
    if (ms === undefined || !(ms >= minMs && ms <= maxMs))
      throw expected(`milliseconds, or a time such as "10 minutes", from ${minMs} to ${maxMs} ms`)
    return ms
  }

export const host: Reader<string> = text => {
  if (isIP(text) === 0 && !/^[\w.-]+$/.test(text)) throw expected('an address or a name, without a port')
  return text
}

// A hop count or `true` would let clients choose their address by a header.
export const proxies = list(isAddressBlock, 'the addresses or CIDR blocks of the proxies')

export const redisUrl = matching(/^rediss?:\/\/\S+$/, 'a redis:// or rediss:// URL')
export const keyPrefix = matching(/^[\w.-]{1,64}$/, '1 to 64 letters, digits, dots, hyphens or underscores')

export const longSecret = matching(/^[\x21-\x7e]{24,}$/, 'at least 24 characters, as `openssl rand -hex 24` makes them')

/** Over plain HTTP, anybody on the way could read codes and tokens. */
export const secureUrl: Reader<URL> = text => {
  const url = /[\s\p{Cc}\\]/u.test(text) ? null : URL.parse(text)
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url === null || !isSecure || url.hash || url.search || url.username || url.password)
    throw expected('an https URL, or an http URL on loopback')
  return url
}

/** Without a path: clients compare the issuer exactly, and `__Host-` cookies belong to a whole host. */
export const origin: Reader<string> = text => {
  const url = secureUrl(text)
  if (text !== url.origin) throw expected(`an origin without a path or a slash, such as ${url.origin}`)
  return text
}

/** Exactly as they are written, since tokens contain them so. */
export const secureUrls: Reader<readonly string[]> = text => {
  const all = words(text)
  for (const word of all) secureUrl(word)
  return all
}

export const appSchemes = list(
  word => /^[a-z][a-z0-9+.-]*$/.test(word) && !/^(?:https?|javascript|data|file|blob|about|vbscript)$/.test(word),
  'schemes of apps, separated by commas, such as cursor',
)

export const hostNames: Reader<readonly string[]> = text =>
  list(
    word => /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(word),
    'host names, separated by commas, such as claude.ai,chatgpt.com',
  )(text.toLowerCase())
