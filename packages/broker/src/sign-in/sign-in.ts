// The way from a client's request to its answer: the question to the user, the sign-in at the
// provider, and the results of both. Only the browser that answered the question can finish the
// sign-in. So a sign-in never completes another person's request.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type Provider from 'oidc-provider'
import type { Interaction } from 'oidc-provider'
import type { Audit } from '../audit.ts'
import { isMetadataUrl } from '../clients/rules.ts'
import type { Metrics } from '../metrics.ts'
import { errorPage, onwardPage, questionPage } from '../pages/pages.ts'
import { INTERACTION_TTL_S } from '../provider.ts'
import type { Settings } from '../settings.ts'
import { hashId } from '../state/adapter.ts'
import type { Rooms } from '../state/rooms.ts'
import type { Store } from '../state/store.ts'
import type { Accounts } from '../users/accounts.ts'
import { mapClaims } from '../users/claims.ts'
import { type Claims, grantable, isAllowed, readSubject } from '../users/rules.ts'
import type { KeptSignIns } from './kept-sign-ins.ts'
import { type Attempt, SignInRefused, type Upstream, type UpstreamTokens } from './upstream.ts'

const ATTEMPT = 'Attempt'

export interface SignInParts {
  readonly settings: Settings
  readonly provider: Provider
  readonly store: Store
  readonly accounts: Accounts
  readonly upstream: Upstream
  readonly rooms: Rooms
  readonly keptSignIns: KeptSignIns
  readonly audit: Audit
  readonly metrics: Metrics
  readonly log: FastifyBaseLogger
}

interface Onward {
  readonly status: 303
  readonly location: string
}

/** The next page for the browser, or the URL where it goes. */
export type Step = Onward | { readonly status: 200 | 400 | 403 | 503; readonly page: string; readonly browser?: string }

/** By the hash of its `state`. */
type KeptAttempt = Omit<Attempt, 'state'> & {
  /** Id of the client's request. */
  readonly uid: string
  /** Hash of the secret in the cookie of the browser that answered. */
  readonly browser: string
}

interface From {
  /** Hash of the secret in the cookie of the browser. */
  readonly browser: string
  readonly address: string
}

interface Answer {
  /** The secret in the cookie of this browser. */
  readonly browser: string | undefined
  readonly csrf: string | null
  readonly answer: string | null
  /** The address of the browser. */
  readonly address: string
}

const gone = (): Step => ({ status: 400, page: errorPage('This request has expired, or belongs to another browser.') })
const hash = (text: string) => createHash('sha256').update(text).digest()
const isSame = (one: string, other: string) => timingSafeEqual(hash(one), hash(other))
/** A page of another site cannot know it, because it has neither the cookie nor the page. */
const createCsrf = (browser: string, uid: string) =>
  createHmac('sha256', browser).update(`csrf ${uid}`).digest('base64url')

export class SignIn {
  readonly #parts: SignInParts

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  get #providerName(): string {
    const { UPSTREAM_NAME, UPSTREAM_ISSUER } = this.#parts.settings
    return UPSTREAM_NAME ?? UPSTREAM_ISSUER.host
  }

  /** The page with the question. @param browser the secret in the cookie; a new browser gets one */
  async ask(request: IncomingMessage, response: ServerResponse, uid: string, browser = newSecret()): Promise<Step> {
    const interaction = await this.#find(request, response, uid)
    return interaction === undefined ? gone() : this.#askFor(interaction, browser, 200)
  }

  async #askFor({ uid, params }: Interaction, browser: string, status: 200 | 403): Promise<Step> {
    const { client_id: clientId = '', redirect_uri: redirectUri = '', resource, scope = '' } = params
    const client = await this.#parts.provider.Client.find(clientId)
    if (client === undefined) return gone()
    const page = questionPage({
      clientName: client.clientName ?? clientId,
      clientHost: isMetadataUrl(clientId) ? new URL(clientId).host : undefined,
      redirectUri,
      resource: resource ?? this.#parts.settings.RESOURCE_URL[0]!,
      scopes: scope.split(' ').filter(each => this.#parts.settings.SCOPES.has(each)),
      providerName: this.#providerName,
      csrf: createCsrf(browser, uid),
    })
    return { status, page, browser }
  }

  /** Handles the answer to the page: continues to the provider, or back to the client. */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    uid: string,
    { browser, csrf, answer, address }: Answer,
  ): Promise<Step> {
    const interaction = await this.#find(request, response, uid)
    if (interaction === undefined || browser === undefined) return gone()
    // The answer came from elsewhere. Or a new browser opened two questions at once, and has the
    // cookie of the other one. Asks again.
    if (!isSame(csrf ?? '', createCsrf(browser, uid))) return this.#askFor(interaction, browser, 403)
    if (answer !== 'allow') {
      const { location } = await this.#end(interaction, refusal('the user refused'))
      return { status: 200, page: onwardPage(new URL(location), 'Back to the app') }
    }
    if (!(await this.#parts.rooms.mayMake(ATTEMPT, address)))
      return { status: 503, page: errorPage('Too many sign-ins are under way. Try again in some minutes.') }
    try {
      const { url, state, ...secrets } = await this.#parts.upstream.start()
      const kept: KeptAttempt = { ...secrets, uid, browser: hashId(browser) }
      await this.#parts.store.set(ATTEMPT, hashId(state), kept, INTERACTION_TTL_S)
      return { status: 200, page: onwardPage(url, `Sign in with ${this.#providerName}`) }
    } catch (error) {
      this.#parts.metrics.count('provider_failures', 'sign_in')
      this.#parts.log.error({ err: error, address }, 'the provider cannot be reached')
      return { status: 503, page: errorPage(`${this.#providerName} cannot be reached.`) }
    }
  }

  /** Handles the return of the browser from the provider. */
  async finish(answered: URL, browser: string | undefined, address: string): Promise<Step> {
    const { store, provider, upstream, audit, metrics, log } = this.#parts
    const state = answered.searchParams.get('state') ?? ''
    const attempt = (await store.take(ATTEMPT, hashId(state))) as KeptAttempt | undefined
    const isThisBrowser = attempt !== undefined && browser !== undefined && isSame(attempt.browser, hashId(browser))
    const interaction = isThisBrowser ? await provider.Interaction.find(attempt.uid) : undefined
    if (attempt === undefined || interaction === undefined) {
      if (attempt !== undefined)
        audit.write('sign_in_refused', { address, reason: 'it came back in another browser, or too late' })
      return gone()
    }
    // The user has refused in another tab since then.
    if (interaction.result !== undefined) return { status: 303, location: interaction.returnTo }
    const clientId = interaction.params['client_id']
    try {
      return await this.#end(
        interaction,
        await this.#grant(
          interaction,
          { browser: attempt.browser, address },
          await upstream.finish(answered, { ...attempt, state }),
        ),
      )
    } catch (error) {
      if (error instanceof SignInRefused) {
        audit.write('sign_in_refused', { address, clientId, reason: `the provider: ${error.message}` })
        return this.#end(interaction, refusal('the provider did not sign the user in'))
      }
      audit.write('sign_in_failed', { address, clientId, reason: 'the answer of the provider was not right' })
      metrics.count('provider_failures', 'sign_in')
      log.error({ err: error, address }, 'the answer of the provider was not right')
      return this.#end(interaction, { error: 'server_error', error_description: 'the sign-in failed' })
    }
  }

  /** @returns the result with which the library continues */
  async #grant(
    { params }: Interaction,
    { browser, address }: From,
    { claims, refreshToken }: UpstreamTokens & { readonly claims: Claims },
  ): Promise<object> {
    const { settings, provider, accounts, keptSignIns, rooms, audit } = this.#parts
    const { client_id: clientId = '', scope = '', resource = settings.RESOURCE_URL[0]! } = params
    const subject = readSubject(claims, settings.SUBJECT_CLAIM)
    if (subject === undefined) throw new Error(`the ID token has no ${settings.SUBJECT_CLAIM} that can be a subject`)
    const refuse = (why: string, reason = why) => {
      audit.write('sign_in_refused', { address, clientId, subject, reason })
      return refusal(why)
    }
    if (!isAllowed(claims, settings.ALLOWED_USERS)) {
      const verified = `email_verified: ${claims['email_verified']}`
      return refuse('this user is not let in', `ALLOWED_USERS does not let this user in (${verified})`)
    }
    const asked = scope.split(' ')
    const grant = new provider.Grant({ accountId: subject, clientId })
    const granted = grantable(claims, asked, settings.SCOPES)
    if (granted.length === 0) return refuse('this user may have none of the scopes')
    if (!(await rooms.mayGrant(hashId(subject)))) return refuse('this user has signed in too often')
    grant.addResourceScope(resource, granted.join(' '))
    const own = asked.filter(each => each === 'openid' || each === 'offline_access')
    if (own.length > 0) grant.addOIDCScope(own.join(' '))
    await accounts.save(subject, mapClaims(claims, settings.CLAIMS))
    const grantId = await grant.save()
    const email = typeof claims['email'] === 'string' ? claims['email'] : undefined
    await keptSignIns.save(grantId, { subject, clientId, email }, refreshToken)
    const canAskAgain = refreshToken !== undefined
    audit.write('signed_in', { address, clientId, subject, scopes: granted, canAskAgain })
    return {
      login: { accountId: subject, remember: false },
      // A client may ask for it by `prompt`, but users choose accounts at the provider.
      select_account: {},
      consent: { grantId, browser },
    }
  }

  async #end(interaction: Interaction, result: object): Promise<Onward> {
    interaction.result = result
    await interaction.persist()
    return { status: 303, location: interaction.returnTo }
  }

  /** Finds the running request that the signed cookie of this page names. */
  async #find(request: IncomingMessage, response: ServerResponse, uid: string): Promise<Interaction | undefined> {
    try {
      const found = await this.#parts.provider.interactionDetails(request, response)
      return found.uid === uid ? found : undefined
    } catch (error) {
      if ((error as Error).name === 'SessionNotFound') return undefined
      throw error
    }
  }
}

const newSecret = () => randomBytes(32).toString('base64url')

const refusal = (why: string) => ({ error: 'access_denied', error_description: why })
