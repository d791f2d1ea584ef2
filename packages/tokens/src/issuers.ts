// The issuers that are trusted, each with its keys and rules. A token belongs to one of them: by its
// `iss`, or if it is opaque by how it begins.

import type { Caller, JsonObject } from 'toolrack'
import { type Algorithm, isTrustDomainOf } from 'toolrack/access'
import type { IntrospectionSpec } from 'toolrack/settings'
import type { ClaimRules } from './claims.ts'
import type { Keys } from './keys.ts'
import type { ScopeRules } from './token-scopes.ts'

/** An issuer, as the settings name it: plain data, compared as JSON. */
export interface IssuerSpec {
  readonly rules: ClaimRules
  /** Undefined: the metadata of the issuer names the keys. */
  readonly jwksUrl?: string | undefined
  readonly secret?: string | undefined
  readonly algorithms?: readonly Algorithm[] | undefined
  readonly introspection?: IntrospectionSpec | undefined
  /** Whether the tokens of its callers may be exchanged: only where the endpoint is its own. */
  readonly isExchanged: boolean
  /** Those of its names at which people and clients sign in, by URL. */
  readonly signInUrls: readonly string[]
}

export interface Issuer {
  readonly spec: IssuerSpec
  /** Undefined if it is asked about each token. */
  readonly keys: Keys | undefined
  readonly introspection: Introspector | undefined
}

/** Asks an issuer about its opaque tokens. */
export interface Introspector extends Pick<Keys, 'problem' | 'isReady' | 'start' | 'close'> {
  /** @returns the claims of a token that counts @throws TokenError; McpError UNVERIFIABLE, BUSY */
  ask(token: string, asker: Asker): Promise<JsonObject>
}

/** Who asks about a token. */
export interface Asker {
  /** Whose turn it takes. */
  readonly address: string
  /** Whether the token was verified before. */
  readonly isKnown: boolean
}

export interface IssuersOptions {
  readonly specs: readonly IssuerSpec[]
  /** @param onKeyRemoved tokens that it has signed have to be verified again */
  create(spec: IssuerSpec, onKeyRemoved: () => void): Issuer
}

export class Issuers {
  readonly #create: IssuersOptions['create']
  #specs: readonly IssuerSpec[] = []
  /** By the source of their keys. */
  #issuers: ReadonlyMap<string, Issuer> = new Map()
  #byName: ReadonlyMap<string, Issuer> = new Map()
  /** As JSON: callers outlive a change of the rules that let them in. */
  #texts: ReadonlyMap<Issuer, string> = new Map()
  /** The same texts: each open stream is looked up once a second. */
  #served: ReadonlySet<string> = new Set()
  readonly #byCaller = new WeakMap<object, string>()
  #wasReady = false
  #generation = 0
  #problem: string | undefined

  constructor({ specs, create }: IssuersOptions) {
    this.#create = create
    this.#serve(specs)
  }

  /** Grows when a key or an issuer goes, so that remembered tokens are verified again. */
  get generation(): number {
    return this.#generation
  }

  /** Whether a token can be verified: an issuer had keys once, or has answered. */
  get isReady(): boolean {
    return this.#wasReady || this.#all.some(issuer => findSource(issuer).isReady)
  }

  /** What is wrong now: for `GET /ready`. */
  get problems(): readonly string[] {
    const ofIssuers = this.#all.flatMap(issuer => {
      const { problem } = findSource(issuer)
      return problem === undefined ? [] : [`issuer ${issuer.spec.rules.issuers?.[0]}: ${problem}`]
    })
    return this.#problem === undefined ? ofIssuers : [this.#problem, ...ofIssuers]
  }

  /** Those at which clients sign in, by URL. */
  get signInUrls(): readonly string[] {
    return this.#specs.flatMap(({ signInUrls }) => signInUrls)
  }

  /** Rules of the first issuer. Clients ask for scopes by them. */
  get scopeRules(): ScopeRules {
    return this.#specs[0]?.rules.scopes ?? {}
  }

  /** @returns undefined if none is trusted that could have made the token */
  find({ iss, sub }: JsonObject): Issuer | undefined {
    const [only, ...others] = this.#all
    // Its rules name the fault of the token.
    if (others.length === 0) return only
    if (typeof iss === 'string') return this.#byName.get(iss)
    return iss === undefined ? this.#all.find(({ spec }) => hasTrustDomain(spec, sub)) : undefined
  }

  /** @returns the issuer that is asked about an opaque token */
  findOpaque(token: string): Issuer | undefined {
    return this.#all.find(
      ({ spec: { introspection } }) => introspection && token.startsWith(introspection.tokenPrefix ?? ''),
    )
  }

  /** Keeps by which issuer, and which of its rules, a caller was let in. */
  remember(caller: Caller, issuer: Issuer): void {
    const text = this.#texts.get(issuer)
    if (text !== undefined) this.#byCaller.set(caller, text)
  }

  /** Whether the issuer of a caller, its secret or its rules have gone since. */
  hasEnded(caller: object): boolean {
    const text = this.#byCaller.get(caller)
    return text !== undefined && !this.#served.has(text)
  }

  async start(): Promise<void> {
    await Promise.all(this.#all.map(issuer => findSource(issuer).start()))
  }

  /** Serves these instead. Keys stay where their source is the same. @returns whether any is another */
  async replace(specs: readonly IssuerSpec[]): Promise<boolean> {
    if (JSON.stringify(specs) === JSON.stringify(this.#specs)) return false
    const former = this.#issuers
    this.#serve(specs)
    for (const [source, issuer] of former) if (!this.#issuers.has(source)) findSource(issuer).close()
    const added = [...this.#issuers].filter(([source]) => !former.has(source))
    await Promise.all(added.map(([, issuer]) => findSource(issuer).start()))
    return true
  }

  /** @param problem why the settings of issuers could not be read; undefined: they were */
  setProblem(problem: string | undefined): void {
    this.#problem = problem
  }

  close(): void {
    for (const issuer of this.#all) findSource(issuer).close()
  }

  get #all(): readonly Issuer[] {
    return [...this.#issuers.values()]
  }

  #serve(specs: readonly IssuerSpec[]): void {
    const former = this.#issuers
    this.#wasReady = this.isReady
    const onKeyRemoved = () => void this.#generation++
    this.#issuers = new Map(
      specs.map(spec => {
        const source = describeSource(spec)
        return [source, { ...(former.get(source) ?? this.#create(spec, onKeyRemoved)), spec }]
      }),
    )
    this.#specs = specs
    this.#texts = new Map(this.#all.map(issuer => [issuer, JSON.stringify(issuer.spec)]))
    this.#served = new Set(this.#texts.values())
    this.#byName = new Map(this.#all.flatMap(issuer => (issuer.spec.rules.issuers ?? []).map(name => [name, issuer])))
    this.#generation++
  }
}

/** Where its keys are, or how it is asked. */
const describeSource = ({ rules: { issuers }, secret, jwksUrl, algorithms, introspection }: IssuerSpec): string =>
  JSON.stringify({ issuers, secret, jwksUrl, algorithms, introspection })

const hasTrustDomain = ({ rules }: IssuerSpec, sub: unknown) =>
  rules.issuers?.some(issuer => isTrustDomainOf(issuer, sub)) === true

/** What says whether its tokens count: it has one of them. */
const findSource = ({ keys, introspection }: Issuer) => keys ?? introspection!
