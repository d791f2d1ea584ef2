// Security headers of the page and the console: only their own scripts and styles run.
import { createHash } from 'node:crypto'

type WebHeaders = Readonly<Record<string, string>>

const formatPolicy = (directives: Readonly<Record<string, string>>) =>
  Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

const CLOSED = { 'base-uri': `'none'`, 'form-action': `'none'`, 'frame-ancestors': `'none'` }

const COMMON = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }

/** @param authorizationServers the console signs in with them */
export function createConsoleHeaders(authorizationServers: readonly string[]): WebHeaders {
  const origins = new Set(authorizationServers.map(url => new URL(url).origin))
  const policy = formatPolicy({
    'default-src': `'none'`,
    'script-src': `'self'`,
    'style-src': `'self'`,
    'img-src': `'self' data: blob:`,
    'media-src': 'data: blob:',
    'connect-src': [`'self'`, ...origins].join(' '),
    'font-src': `'self'`,
    ...CLOSED,
    'require-trusted-types-for': `'script'`,
  })
  return { ...COMMON, 'content-security-policy': policy }
}

/** The page has one script and one style sheet, identified by their hashes. */
export function createPageHeaders({ script, style }: { readonly script: string; readonly style: string }): WebHeaders {
  const policy = formatPolicy({
    'default-src': `'none'`,
    'script-src': toSource(script),
    'style-src': toSource(style),
    'img-src': 'https: data:',
    ...CLOSED,
    'require-trusted-types-for': `'script'`,
  })
  return { ...COMMON, 'content-security-policy': policy }
}

const toSource = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
