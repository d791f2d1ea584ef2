// The owners of sessions, tasks, files, confirmations, keyed calls and limits: an issuer, a subject,
// and its tenant if TENANT_CLAIM names one. Only this file encodes owners; all others just compare
// them.
import { hash } from 'node:crypto'
import { formatClaim, readClaim } from './claim-keys.ts'
import type { Caller } from './exchange.ts'

/** Longer tenants are hashed: an owner is the key of many maps. Characters of JSON. */
const MAX_TENANT_LENGTH = 256

export class Owners {
  readonly #tenantClaim: string | undefined
  /** Cached, since most callers are looked up many times. */
  readonly #known = new WeakMap<Caller, string>()

  /** @param tenantClaim if undefined, a subject is one owner, whatever its claims are */
  constructor(tenantClaim: string | undefined) {
    this.#tenantClaim = tenantClaim
  }

  get hasTenants(): boolean {
    return this.#tenantClaim !== undefined
  }

  /**
   * The owner as JSON: issuer and subject, and a third entry where there are tenants. So a caller
   * without a tenant differs from callers in a tenant, and from itself before there were tenants.
   *
   * @returns undefined without a caller
   */
  find(caller: Caller | undefined): string | undefined {
    if (caller === undefined) return undefined
    let owner = this.#known.get(caller)
    if (owner === undefined) this.#known.set(caller, (owner = this.#encode(caller)))
    return owner
  }

  /** The tenant's key, the same for all issuers; undefined for a caller without one. */
  findTenant(caller: Caller | undefined): string | undefined {
    const tenant = this.#tenantClaim === undefined ? undefined : readClaim(caller, this.#tenantClaim)
    if (tenant === undefined) return undefined
    const key = JSON.stringify(tenant)
    // JSON never begins with a hash sign.
    return key.length > MAX_TENANT_LENGTH ? `#${hash('sha256', key)}` : key
  }

  /** The tenant in a form for people. */
  showTenant(caller: Caller | undefined): string | undefined {
    return this.#tenantClaim === undefined ? undefined : formatClaim(caller, this.#tenantClaim)
  }

  #encode(caller: Caller): string {
    const subject = [caller.issuer ?? null, caller.subject]
    return JSON.stringify(this.hasTenants ? [...subject, this.findTenant(caller) ?? null] : subject)
  }
}
