// Session ids that contain the data of a session, sealed with STATE_SECRET. So another process can open
// the session again, empty. TLS does the same with its session tickets (RFC 5077).
import { createHash, randomBytes } from 'node:crypto'
import type { Seal } from '../auth/seal.ts'
import { type ClientFeature, findRevision, type Revision } from '../protocol/revisions/index.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'
import type { NewSession } from '../state/sessions.ts'
import { type Extras, getExtras, hasFeature, MAX_EXTRAS_BYTES, toCapabilities, withExtras } from './capabilities.ts'

/**
 * How long after its handshake a ticket opens, ms; SESSION_TTL_MS if that is longer. A ticket
 * cannot know when it was last used, so it has the seven days of one of TLS. RFC 8446, 4.6.1.
 */
export const MAX_TICKET_AGE_MS = 7 * 24 * 60 * 60 * 1000
/** Ended sessions of other processes that this process remembers, so that their tickets stay closed. */
export const MAX_ENDED_TICKETS = 10_000

const PROCESS_ID_BYTES = 9
const OWNER_HASH_BYTES = 16
/** Characters of a ticket without extras; the longest has 139. */
const PLAIN_LENGTH = 160
/** A longer id is not unsealed. Base64 makes four characters of three bytes. */
export const MAX_TICKET_LENGTH = PLAIN_LENGTH + Math.ceil((MAX_EXTRAS_BYTES * 4) / 3)

/**
 * The letters in a ticket for the questions that a client can answer. Letters of former versions
 * stay.
 */
const LETTERS: Readonly<Record<ClientFeature, string>> = {
  roots: 'r',
  sampling: 's',
  'sampling.tools': 't',
  'sampling.context': 'c',
  'elicitation.form': 'f',
  'elicitation.url': 'u',
}
const FEATURES = Object.keys(LETTERS) as ClientFeature[]

/** Another layout needs another purpose of the seal, because other versions of Toolrack may read it. */
type Ticket = readonly [
  version: string,
  letters: string,
  ownerHash: string,
  issuedAtS: number,
  issuer: string,
  extras?: Extras,
]

type Opening = Pick<NewSession, 'revision' | 'owner' | 'capabilities'>

export interface SessionTicketParts {
  readonly seal: Seal
  /** Idle lifetime of a session, ms. */
  readonly ttlMs: number
  /** Unix time, ms. */
  readonly now?: () => number
}

export class SessionTickets {
  readonly #seal: Seal
  readonly #maxAgeMs: number
  readonly #now: () => number
  readonly #process = randomBytes(PROCESS_ID_BYTES).toString('base64url')
  /** Tickets of other processes, the oldest first. */
  readonly #ended = new Set<string>()

  constructor({ seal, ttlMs, now = Date.now }: SessionTicketParts) {
    this.#seal = seal
    this.#maxAgeMs = Math.max(MAX_TICKET_AGE_MS, ttlMs)
    this.#now = now
  }

  issue({ revision, capabilities, owner }: Opening): string {
    const letters = toLetters(capabilities)
    const issuedAtS = Math.floor(this.#now() / 1000)
    const extras = getExtras(capabilities)
    const plain = [revision.version, letters, toOwnerHash(owner), issuedAtS, this.#process] as const
    const ticket: Ticket = extras === undefined ? plain : [...plain, extras]
    return this.#seal.seal('session', ticket)
  }

  /** @returns undefined unless another process issued it to this owner, and it has not ended */
  open(id: string, owner: string | undefined): Opening | undefined {
    const ticket = this.#ended.has(id) ? undefined : this.#readForeign(id)
    if (ticket === undefined) return undefined
    const [version, letters, ownerHash, issuedAtS, , extras] = ticket
    const revision = findHandshakeRevision(version)
    const isInTime = this.#now() - issuedAtS * 1000 < this.#maxAgeMs
    if (revision === undefined || !isInTime || ownerHash !== toOwnerHash(owner)) return undefined
    return { revision, owner, capabilities: withExtras(fromLetters(letters), extras) }
  }

  /** Remembers that the session was ended, if its ticket would open again. */
  end(id: string): void {
    if (this.#readForeign(id) === undefined) return
    this.#ended.add(id)
    if (this.#ended.size > MAX_ENDED_TICKETS) this.#ended.delete(this.#ended.values().next().value!)
  }

  // A ticket of this process whose session is not kept any more has ended or expired.
  #readForeign(id: string): Ticket | undefined {
    if (id.length > MAX_TICKET_LENGTH) return undefined
    const ticket = this.#seal.open('session', id) as Ticket | undefined
    return ticket?.[4] === this.#process ? undefined : ticket
  }
}

/** Another version of Toolrack may have issued the ticket, for a revision that it knows. */
function findHandshakeRevision(version: string): Revision | undefined {
  const revision = findRevision(version)
  return revision?.era === 'legacy' ? revision : undefined
}

const toLetters = (capabilities: ClientCapabilities): string =>
  FEATURES.filter(name => hasFeature(capabilities, name))
    .map(name => LETTERS[name])
    .join('')

const fromLetters = (letters: string): ClientCapabilities =>
  toCapabilities(FEATURES.filter(name => letters.includes(LETTERS[name])))

/** Empty if there is no owner. */
function toOwnerHash(owner: string | undefined): string {
  if (owner === undefined) return ''
  return createHash('sha256').update(owner).digest().subarray(0, OWNER_HASH_BYTES).toString('base64url')
}
