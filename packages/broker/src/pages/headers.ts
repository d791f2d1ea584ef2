// Headers of each page: no scripts, no frame around it, forms to this server only.
import { createHash } from 'node:crypto'
import { STYLE } from './style.ts'

const styleHash = createHash('sha256').update(STYLE).digest('base64')

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    // For the empty icon, without which browsers would request one.
    'img-src data:',
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // With `no-referrer` browsers would send `Origin: null` with the form.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
}
