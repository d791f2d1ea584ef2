// Options that `toolrack token` and `toolrack key create` share: `--claim` and `--ttl`.
import { parse as parseTime } from '@lukeed/ms'
import { UsageError } from './errors.ts'

/** Reads `tenant=acme`, and `groups:=["a"]` for other JSON than text. @throws UsageError */
export function readClaimOptions(options: readonly string[]): ReadonlyMap<string, unknown> {
  const claims = new Map<string, unknown>()
  for (const option of options) {
    const [, name = '', isJson, text = ''] = /^([^=]*?)(:?)=(.*)$/s.exec(option) ?? []
    if (name === '') throw new UsageError('--claim: expected a name and a value, such as tenant=acme')
    if (claims.has(name)) throw new UsageError(`--claim: expected ${JSON.stringify(name)} once`)
    claims.set(name, isJson === '' ? text : parseJson(name, text))
  }
  return claims
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--claim: expected JSON behind ${name}:=, such as ${name}:='["a"]'`)
  }
}

/** @param hint examples and the maximum, for people @returns ms @throws UsageError */
export function readTtl(text: string, maxMs: number, hint: string): number {
  const ttlMs = /^\d+(\.\d+)? ?[a-z]/i.test(text) ? parseTime(text) : undefined
  if (ttlMs === undefined || ttlMs < 1000 || ttlMs > maxMs)
    throw new UsageError(`--ttl: expected a time with its unit, such as ${hint}`)
  return ttlMs
}
