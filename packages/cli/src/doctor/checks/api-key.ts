// Checks an API key that is used as a token: its form, and why the server of the settings refuses it.
import { isApiKey } from 'toolrack/access'
import { readEnvironment } from 'toolrack/environment'
import { type ApiKeyRecord, findApiKeyId } from 'toolrack/keys'
import { getPublicUrl, toOpenUrl } from 'toolrack/settings'
import { readKeyFile } from '../../key-file.ts'
import type { CheckContext, Fault } from '../check-context.ts'

const PARTIAL_KEY: Fault = {
  id: 'partial-key',
  severity: 'problem',
  effect: 'The server refuses it.',
  fix: 'copy the whole line that toolrack key create printed',
}

/** @returns undefined for another kind of token */
export const findKey = ({ token }: CheckContext): string | undefined =>
  token !== undefined && isApiKey(token) ? token : undefined

export function checkKeyForm(context: CheckContext, key: string): void {
  const id = findApiKeyId(key)
  if (id !== undefined) context.ok(`the token is an API key: ${id}`)
  else context.report(PARTIAL_KEY, 'the API key is not whole: expected trk_, an id, _ and 64 hexadecimal digits')
}

/** Advice for a key that is refused. */
export function adviseRefusedKey(key: string, url: URL): string {
  const fallback = 'make another one with toolrack key create, in the file that the server reads (API_KEYS_FILE)'
  const id = findApiKeyId(key)
  return (id === undefined ? undefined : adviseByFile(id, url)) ?? fallback
}

/**
 * @returns undefined if it is another server than that of the settings, or the file is on another
 *   machine
 */
function adviseByFile(id: string, url: URL): string | undefined {
  let file: string | undefined
  let record: ApiKeyRecord | undefined
  try {
    const settings = readEnvironment()
    file = settings.apiKeysFile
    if (file === undefined || toOpenUrl(getPublicUrl(settings)).href !== url.href) return undefined
    record = readKeyFile(file).find(each => each.id === id)
  } catch (error) {
    return file === undefined ? undefined : `mend the file of keys: ${(error as Error).message}`
  }
  if (record === undefined) return `${file} has no key ${id}: it was revoked, or is of another server`
  if (Date.parse(record.expires) <= Date.now())
    return `it has expired at ${record.expires}: make another one with toolrack key create`
  return `${file} has this id: is the key whole, and does the server read this file?`
}
