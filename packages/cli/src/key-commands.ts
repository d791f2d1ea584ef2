// Creates, lists and revokes API keys. A new key is printed once; the file gets its hash.
import { resolve } from 'node:path'
import { readEnvironment } from 'toolrack/environment'
import {
  type ApiKeyRecord,
  DAY_MS,
  findApiKeyFault,
  findApiKeyId,
  generateApiKey,
  hashApiKey,
  MAX_API_KEY_DAYS,
} from 'toolrack/keys'
import { ConfigError } from 'toolrack/settings'
import { showName, toVisibleLine } from 'toolrack/text'
import { readClaimOptions, readTtl } from './credential-options.ts'
import { loadEnvFile } from './env-file.ts'
import { CommandError, UsageError } from './errors.ts'
import type { Io } from './io.ts'
import { changeKeyFile, readKeyFile } from './key-file.ts'
import { formatTable } from './table.ts'

export interface ListOptions {
  readonly file?: string
  readonly json?: true
}

export interface NewKeyOptions extends ListOptions {
  readonly sub?: string
  readonly scope?: string
  readonly ttl: string
  readonly claim?: readonly string[]
  readonly name?: string
  readonly raw?: true
}

/** @throws UsageError, or CommandError if the file cannot be changed */
export async function runCreate(options: NewKeyOptions, io: Io): Promise<void> {
  const { file, isOfServer } = findFile(options)
  const described = describeKey(options)
  const { key, record } = await changeKeyFile(file, records => {
    const { id, key } = generateApiKey(id => records.some(record => record.id === id))
    const record = { id, hash: hashApiKey(key), ...described }
    return { records: [...records, record], result: { key, record } }
  })
  if (options.json) return io.printJson({ key, ...withoutHash(record), file })
  io.print(key)
  if (options.raw) return
  const { id, subject, expires } = record
  io.note(`This is the only time that the key is shown: ${id}, of ${showName(subject)}, until ${expires}.`)
  io.note(`A client sends it as a token, "Authorization: Bearer KEY"; toolrack call takes it from TOOLRACK_TOKEN.`)
  if (!isOfServer) io.note(`The server needs API_KEYS_FILE=${resolve(file)}`)
}

/** @throws CommandError if the file cannot be read */
export function runList(options: ListOptions, io: Io): void {
  const { file } = findFile(options)
  const records = readKeyFile(file)
  const nowMs = Date.now()
  if (options.json) {
    const keys = records.map(record => ({ ...withoutHash(record), state: describeState(record, nowMs).state }))
    io.printJson({ file, keys })
  } else if (records.length === 0) io.note(`${file} has no keys; toolrack key create makes one`)
  else io.print(formatTable([HEADING, ...records.map(record => toRow(record, nowMs, io))]))
}

/** @throws CommandError if a key does not exist; then none is revoked */
export async function runRevoke(given: readonly string[], options: ListOptions, io: Io): Promise<void> {
  const { file } = findFile(options)
  // The user may have the leaked key, but not its id.
  const ids = new Set(given.map(text => findApiKeyId(text) ?? text))
  await changeKeyFile(file, records => {
    const unknown = [...ids].find(id => !records.some(record => record.id === id))
    if (unknown !== undefined)
      throw new CommandError(`${file} has no key ${toVisibleLine(unknown)}; toolrack key list shows those it has`)
    return { records: records.filter(({ id }) => !ids.has(id)), result: undefined }
  })
  for (const id of ids) io.print(`revoked ${id}`)
}

interface FoundFile {
  readonly file: string
  /** Whether it is the file of the settings. */
  readonly isOfServer: boolean
}

/** @throws UsageError without a file */
function findFile({ file }: ListOptions): FoundFile {
  const ofServer = readServerFile(file)
  if (file === '') throw new UsageError('--file: expected the file of keys')
  const found = file ?? ofServer
  if (found === undefined)
    throw new UsageError('--file: expected the file of keys, or API_KEYS_FILE in the environment')
  return { file: found, isOfServer: ofServer !== undefined && resolve(ofServer) === resolve(found) }
}

/** Invalid settings matter only if the file is not given. */
function readServerFile(given: string | undefined): string | undefined {
  try {
    loadEnvFile()
    return readEnvironment().apiKeysFile
  } catch (error) {
    if (given !== undefined && error instanceof ConfigError) return undefined
    throw error
  }
}

/** @throws UsageError */
function describeKey({ sub, scope = '', ttl, claim, name }: NewKeyOptions): Omit<ApiKeyRecord, 'id' | 'hash'> {
  if (!sub) throw new UsageError('--sub: expected who calls, such as --sub n8n')
  const createdMs = Date.now()
  const described = {
    subject: sub,
    scopes: [...new Set(scope.split(' ').filter(entry => entry !== ''))],
    ...(claim !== undefined && { claims: Object.fromEntries(readClaimOptions(claim)) }),
    created: new Date(createdMs).toISOString(),
    expires: new Date(
      createdMs + readTtl(ttl, MAX_API_KEY_DAYS * DAY_MS, `12h or 90d, of at most ${MAX_API_KEY_DAYS}d`),
    ).toISOString(),
    ...(name !== undefined && { name }),
  }
  const fault = findApiKeyFault({ id: 'none', hash: '0'.repeat(64), ...described })
  if (fault !== undefined) throw new UsageError(`${OPTIONS[fault.field] ?? fault.field}: expected ${fault.expected}`)
  return described
}

/** The option for each member of the file. */
const OPTIONS: Readonly<Record<string, string>> = {
  subject: '--sub',
  scopes: '--scope',
  claims: '--claim',
  expires: '--ttl',
  name: '--name',
}

const withoutHash = ({ hash: _, ...shown }: ApiKeyRecord): Omit<ApiKeyRecord, 'hash'> => shown

const HEADING = ['ID', 'SUBJECT', 'SCOPES', 'CLAIMS', 'EXPIRES', 'STATE', 'NAME']
/** Keys that end sooner than this are marked: they need a successor. */
const SOON_MS = 14 * DAY_MS

interface KeyState {
  readonly state: 'valid' | 'expires soon' | 'expired'
  readonly colour: 'green' | 'yellow' | 'red'
}

function describeState({ expires }: ApiKeyRecord, nowMs: number): KeyState {
  const leftMs = Date.parse(expires) - nowMs
  if (leftMs <= 0) return { state: 'expired', colour: 'red' }
  return leftMs < SOON_MS ? { state: 'expires soon', colour: 'yellow' } : { state: 'valid', colour: 'green' }
}

function toRow(record: ApiKeyRecord, nowMs: number, io: Io): string[] {
  const { id, subject, scopes, claims = {}, expires, name = '' } = record
  const { state, colour } = describeState(record, nowMs)
  const shownClaims = Object.entries(claims).map(([claim, value]) => `${claim}=${toText(value)}`)
  const cells = [id, subject, scopes.join(' ') || '–', shownClaims.join(' ') || '–', expires]
  return [...cells.map(showName), io.paint(colour, state), toVisibleLine(name)]
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
