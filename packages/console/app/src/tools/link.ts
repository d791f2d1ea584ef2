// An address that fills a form: `#/tools/NAME?args=…`. It never makes the call.
import { toHash } from '../shell/router.ts'

/** Programs may cut longer addresses. */
const MAX_LINK_CHARACTERS = 8_000

/** @returns undefined if the arguments are too long for an address */
export function createLink(tool: string, text: string): string | undefined {
  const { origin, pathname } = window.location
  const link = `${origin}${pathname}${toHash({ section: 'tools', name: tool })}?args=${encode(text)}`
  return link.length > MAX_LINK_CHARACTERS ? undefined : link
}

/** The arguments that an address has, as text. */
export function readLink(hash: string): string | undefined {
  const found = /\?args=([\w-]+)$/.exec(hash)?.[1]
  if (found === undefined || hash.length > MAX_LINK_CHARACTERS) return undefined
  try {
    const bytes = Uint8Array.from(atob(found.replaceAll('-', '+').replaceAll('_', '/')), each => each.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** As base64url, which needs no escapes in an address. */
function encode(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join('')
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
