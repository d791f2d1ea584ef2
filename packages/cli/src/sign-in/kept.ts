// The sign-ins of this user: one file per server, which only the user may read. A sign-in for one
// URL is never sent to another one.
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type {
  AuthorizationServerMetadata,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { getConfigFolder, makeConfigFolder } from '../config-folder.ts'
import { CommandError } from '../errors.ts'
import { lockFile, replaceFile } from '../locked-file.ts'

export interface SignIn {
  /** The URL of the endpoint, compared exactly. */
  readonly url: string
  readonly issuer: string
  /** Metadata of the authorization server, if it has any: the URLs to refresh and revoke tokens. */
  readonly metadata?: AuthorizationServerMetadata | undefined
  /** The resource that the tokens are for. RFC 8707. */
  readonly resource?: string | undefined
  readonly client: StoredOAuthClientInformation
  /** The redirect URL of the client's registration. */
  readonly redirectUrl: string
  readonly tokens: StoredOAuthTokens
  /** When the access token expires, ms since 1970; undefined if unknown. */
  readonly expiresMs?: number | undefined
}

const FOLDER = 'sign-ins'
/** A refresh takes 10 s at most, so an older lock comes from a killed command. */
const LOCK = { waitMs: 30_000, staleMs: 20_000 }

/** The host, for people who look into the folder, and a hash of the URL. */
function toFileName({ href, host }: URL): string {
  const hash = createHash('sha256').update(href).digest('hex').slice(0, 16)
  return `${host.replace(/[^A-Za-z0-9.-]+/g, '-')}-${hash}.json`
}

const getFile = (url: URL): string => join(getConfigFolder(), FOLDER, toFileName(url))

/** @throws CommandError if the file exists but is invalid */
export function readSignIn(url: URL): SignIn | undefined {
  const file = getFile(url)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const kept = parse(text)
  if (kept?.url === url.href) return kept
  throw new CommandError(
    `${file} is not a sign-in for ${url.href}; delete it, and sign in again: toolrack login ${url.href}`,
  )
}

function parse(text: string): SignIn | undefined {
  try {
    const value = JSON.parse(text) as Partial<SignIn> | null
    const isWhole = typeof value?.tokens?.access_token === 'string' && typeof value.client?.client_id === 'string'
    return isWhole ? (value as SignIn) : undefined
  } catch {
    return undefined
  }
}

/** Meanwhile, no other command changes the sign-in. */
export async function withSignInLock<T>(url: URL, work: () => Promise<T>): Promise<T> {
  makeConfigFolder(FOLDER)
  const unlock = await lockFile(getFile(url), LOCK)
  try {
    return await work()
  } finally {
    unlock()
  }
}

/** Call it within `withSignInLock`. */
export function writeSignIn(signIn: SignIn): void {
  replaceFile(getFile(new URL(signIn.url)), `${JSON.stringify(signIn, undefined, 2)}\n`, undefined)
}

/** Call it within `withSignInLock`. */
export const deleteSignIn = (url: URL): void => rmSync(getFile(url), { force: true })

export const hasSignIn = (url: URL): boolean => statSync(getFile(url), { throwIfNoEntry: false }) !== undefined
