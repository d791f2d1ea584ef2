// A file of API keys, as an operator has it, and how it changes.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { generateApiKey, hashApiKey } from '../../../packages/keys/src/api-key.ts'
import type { ApiKeyRecord } from '../../../packages/keys/src/api-key-records.ts'
import type { ServerOptions } from '../../../src/index.ts'
import { type App, build } from '../app.ts'
import { tempFolder } from '../tools-folder.ts'
import { PROMPTS, RESOURCES, TOOLS } from './guarded.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export interface TestKey {
  readonly key: string
  readonly record: ApiKeyRecord
  readonly headers: { readonly authorization: string }
}

/** A key of `n8n` for 90 days, that may what needs no scope. */
export function testKey(over: Partial<ApiKeyRecord> = {}): TestKey {
  const { id, key } = generateApiKey(() => false)
  const record = {
    id,
    hash: hashApiKey(key),
    subject: 'n8n',
    scopes: [],
    created: new Date(Date.now() - DAY_MS).toISOString(),
    expires: new Date(Date.now() + 89 * DAY_MS).toISOString(),
    ...over,
  }
  return { key, record, headers: { authorization: `Bearer ${key}` } }
}

export const keysJson = (...keys: readonly TestKey[]): string =>
  JSON.stringify({ keys: keys.map(({ record }) => record) })

export interface KeysFile {
  readonly path: string
  /** Replaces the file at once, as `toolrack key` does. */
  set(...keys: readonly TestKey[]): void
  /** The same with any text. */
  write(text: string): void
}

export function keysFile(t: Test, ...keys: readonly TestKey[]): KeysFile {
  const { path: folder } = tempFolder(t, {}, 'keys')
  const path = join(folder, 'api-keys.json')
  const write = (text: string) => {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  }
  const set = (...changed: readonly TestKey[]) => write(keysJson(...changed))
  set(...keys)
  return { path, set, write }
}

export interface KeyedServer {
  readonly app: App
  readonly file: KeysFile
}

/** A server that takes these keys, with something behind each of its doors. */
export async function keyed(t: Test, keys: readonly TestKey[], options: ServerOptions = {}): Promise<KeyedServer> {
  const file = keysFile(t, ...keys)
  const app = await build(t, {
    apiKeysFile: file.path,
    tools: TOOLS,
    resources: RESOURCES,
    prompts: PROMPTS,
    ...options,
    rateLimit: { max: 1_000_000, ...options.rateLimit },
  })
  return { app, file }
}
