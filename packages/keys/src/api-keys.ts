// The API keys of a file, which may change while the server runs.

import { timingSafeEqual } from 'node:crypto'
import { constants } from 'node:fs'
import type { Caller } from 'toolrack'
import {
  type AccessWay,
  API_KEY_ISSUER,
  type BoundedFile,
  FileWatch,
  isApiKey,
  readBoundedFile,
  TokenError,
} from 'toolrack/access'
import type { Log } from 'toolrack/protocol'
import { findApiKeyId, hashApiKey } from './api-key.ts'
import { ApiKeyFileError, type ApiKeyRecord, MAX_API_KEY_FILE_BYTES, parseApiKeys } from './api-key-records.ts'

interface ApiKey {
  readonly id: string
  readonly hash: Buffer
  /** The same object for each request, so that a change of the key is visible in it. */
  readonly caller: Caller & { readonly expiresAtMs: number }
  readonly signature: string
}

interface ReadFile {
  readonly bytes: Buffer
  /** Whether everybody on this machine may add keys. */
  readonly isWritableByAll: boolean
}

export type ApiKeyChange = 'added' | 'changed' | 'ended'

export interface ApiKeysOptions {
  readonly file: string
  /** Undefined if the keys are only checked. */
  readonly log: Log | undefined
  /** Called when a key was added, changed or removed after the first reading. */
  onChange?(change: ApiKeyChange, caller: Caller): void
  /** Called after each check of the file, to end requests for which `hasEnded` is true. */
  readonly onCheck?: (() => void) | undefined
  /** Unix time, ms. */
  readonly now?: () => number
  readonly checkMs?: number
}

export class ApiKeys implements AccessWay {
  readonly credential = 'API key'
  readonly description: string
  readonly #file: string
  readonly #log: Log | undefined
  readonly #now: () => number
  readonly #watch: FileWatch
  readonly #onChange: NonNullable<ApiKeysOptions['onChange']>
  readonly #onCheck: () => void
  #keys: ReadonlyMap<string, ApiKey> = new Map()
  /** Also contains ended keys, as long as somebody holds their caller. */
  readonly #byCaller = new WeakMap<object, ApiKey>()
  #wasRead = false
  #error: string | undefined
  #isWritableByAll = false

  /** Reads the file. @throws ApiKeyFileError */
  constructor({ file, log, now = Date.now, checkMs, onChange, onCheck }: ApiKeysOptions) {
    this.description = `API keys of ${file}`
    this.#file = file
    this.#log = log
    this.#now = now
    // Keys expire without a change of the file, and a request may have begun while its key ended.
    this.#watch = new FileWatch({ file, onChange: () => this.reload(), onSame: () => this.#onCheck(), checkMs })
    this.#onChange = onChange ?? (() => {})
    this.#onCheck = onCheck ?? (() => {})
    const read = readApiKeyFile(file)
    this.#serve(parseApiKeys(read.bytes))
    this.#wasRead = true
    this.#warnIfWritable(read)
  }

  /** Why the file could not be read; then the earlier keys stay valid. */
  get problems(): readonly string[] {
    return this.#error === undefined ? [] : [`API keys: ${this.#error}; those known before stay`]
  }

  start(): void {
    this.#watch.start()
  }

  close(): void {
    this.#watch.close()
  }

  owns(credential: string): boolean {
    return isApiKey(credential)
  }

  /** @returns the caller, the same object until the key changes @throws TokenError */
  verify(key: string): Caller {
    const id = findApiKeyId(key)
    if (id === undefined) throw new TokenError('it does not have the form of an API key')
    const found = this.#keys.get(id)
    // Unknown ids do the same work as known ones.
    const isRight = timingSafeEqual(Buffer.from(hashApiKey(key), 'hex'), found?.hash ?? NO_HASH)
    if (found === undefined || !isRight) throw new TokenError('the API key is not known')
    if (found.caller.expiresAtMs <= this.#now()) throw new TokenError('the API key has expired')
    return found.caller
  }

  /** Whether the caller's key was removed or changed, or has expired, since the request began. */
  hasEnded(caller: object): boolean {
    const key = this.#byCaller.get(caller)
    return key !== undefined && (this.#keys.get(key.id) !== key || key.caller.expiresAtMs <= this.#now())
  }

  /** Reads the file again. If it is invalid, the earlier keys stay. */
  reload(): void {
    try {
      const read = readApiKeyFile(this.#file)
      this.#serve(parseApiKeys(read.bytes))
      this.#warnIfWritable(read)
      this.#error = undefined
    } catch (error) {
      if (!(error instanceof ApiKeyFileError)) throw error
      // Logs an error once: the file may be missing for long.
      if (error.message !== this.#error)
        this.#log?.warn(
          { file: this.#file, reason: error.message },
          'could not read API keys; keeping the previous ones',
        )
      this.#error = error.message
    }
    this.#onCheck()
  }

  #warnIfWritable({ isWritableByAll }: ReadFile): void {
    if (isWritableByAll && !this.#isWritableByAll)
      this.#log?.warn({ file: this.#file, hint: 'chmod o-w' }, 'everybody on this machine may add API keys')
    this.#isWritableByAll = isWritableByAll
  }

  #serve(records: readonly ApiKeyRecord[]): void {
    const former = this.#keys
    const keys = new Map(records.map(record => [record.id, toApiKey(record, former.get(record.id))]))
    this.#keys = keys
    for (const key of keys.values()) this.#byCaller.set(key.caller, key)
    const ended = [...former].filter(([id, key]) => keys.get(id) !== key).length
    const added = [...keys.keys()].filter(id => !former.has(id)).length
    const expired = records.filter(({ expires }) => Date.parse(expires) <= this.#now()).length
    if (ended > 0 || added > 0 || former.size === 0)
      this.#log?.info({ file: this.#file, keys: keys.size, expired, added, ended }, 'loaded API keys')
    if (this.#wasRead) this.#reportChanges(former, keys)
  }

  #reportChanges(former: ReadonlyMap<string, ApiKey>, keys: ReadonlyMap<string, ApiKey>): void {
    for (const [id, key] of keys) {
      const before = former.get(id)
      if (before !== key) this.#onChange(before === undefined ? 'added' : 'changed', key.caller)
    }
    for (const [id, key] of former) if (!keys.has(id)) this.#onChange('ended', key.caller)
  }
}

/** As long as a hash, but equal to none. */
const NO_HASH = Buffer.alloc(32)

function toApiKey(record: ApiKeyRecord, former: ApiKey | undefined): ApiKey {
  const { id, hash, subject, scopes, claims, expires } = record
  const signature = JSON.stringify([hash, subject, scopes, claims, expires])
  if (former?.signature === signature) return former
  // Frozen, with its claims, because all requests with the key share it.
  const caller = {
    issuer: API_KEY_ISSUER,
    subject,
    clientId: id,
    scopes: Object.freeze([...scopes]),
    ...(claims !== undefined && { claims }),
    expiresAtMs: Date.parse(expires),
  }
  return { id, hash: Buffer.from(hash, 'hex'), caller: Object.freeze(caller), signature }
}

/** @throws ApiKeyFileError */
export function readApiKeyFile(file: string): ReadFile {
  const read = readIfFile(file)
  if (read === undefined) throw new ApiKeyFileError('expected a file')
  const { bytes, stats } = read
  const isWritableByAll = process.platform !== 'win32' && (Number(stats.mode) & constants.S_IWOTH) !== 0
  return { bytes, isWritableByAll }
}

function readIfFile(file: string): BoundedFile | undefined {
  try {
    return readBoundedFile(file, MAX_API_KEY_FILE_BYTES)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new ApiKeyFileError(`there is no file ${file}`)
    throw new ApiKeyFileError(`${file} cannot be read: ${message.split(', ')[0]}`)
  }
}
