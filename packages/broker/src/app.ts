// The routes of the broker: who serves each path, how often it may be requested, and the headers of
// all answers.

import type { IncomingMessage, Server } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import Provider, { type Client, type Context } from 'oidc-provider'
import { explainError, toLogged } from 'toolrack/text'
import { Audit, type EventName } from './audit.ts'
import { EXCHANGE_CLIENT_ID } from './exchange.ts'
import { loadKeys } from './keys.ts'
import { type Limit, type LimitName, refuse, registerLimits } from './limits.ts'
import { Metrics } from './metrics.ts'
import { addMetricsServer } from './metrics-server.ts'
import { PAGE_HEADERS } from './pages/headers.ts'
import { errorPage } from './pages/pages.ts'
import { createProvider, PATHS, type ReadAddress } from './provider.ts'
import { createReadiness } from './readiness.ts'
import type { Settings } from './settings.ts'
import { createBrowserCookie } from './sign-in/browser-cookie.ts'
import { KeptSignIns } from './sign-in/kept-sign-ins.ts'
import { SignIn, type Step } from './sign-in/sign-in.ts'
import { Upstream } from './sign-in/upstream.ts'
import { createUseCheck } from './sign-in/use-check.ts'
import { MemoryStore } from './state/memory.ts'
import { connectRedis, RedisStore } from './state/redis.ts'
import { Rooms } from './state/rooms.ts'
import { createSeal } from './state/seal.ts'
import type { Store } from './state/store.ts'
import { Accounts } from './users/accounts.ts'

/** Lifetime of clients that users have signed in with, from the last token on. */
const USED_CLIENT_TTL_S = 90 * 24 * 60 * 60
const MAX_FORM_BYTES = 4 * 1024
/** An authorization request is kept until its user answers, and strangers can make many. */
const MAX_URL_LENGTH = 4096
const REQUEST_TIMEOUT_MS = 10_000

export async function buildBroker(settings: Settings): Promise<FastifyInstance> {
  const app = Fastify({
    // Errors of libraries contain their input, such as a Redis command with secrets.
    logger: { level: settings.LOG_LEVEL, serializers: { err: toLoggedMembers } },
    // Paths contain codes after their `?`.
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    trustProxy: settings.TRUST_PROXY.length > 0 && [...settings.TRUST_PROXY],
    bodyLimit: MAX_FORM_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
  })
  const store = createStore(settings, err => app.log.error({ err }, 'Redis'))
  const metrics = new Metrics()
  const audit = new Audit(app.log, metrics)
  const onRefused = (limit: string) => metrics.count('refusals', limit)
  const limits = await registerLimits(app, onRefused)
  const signInS = Math.ceil(settings.SIGN_IN_TTL_MS / 1000)
  const rooms = new Rooms(store, signInS, onRefused)
  const accounts = new Accounts(store, signInS)
  const requests = new WeakMap<IncomingMessage, FastifyRequest>()
  const readAddress = (raw: IncomingMessage) => requests.get(raw)!.ip
  const fetched = new WeakSet<IncomingMessage>()
  // Once per request: the library looks for a client again if it was not found.
  const mayFetch = async (raw: IncomingMessage) => {
    const request = requests.get(raw)
    if (request === undefined || fetched.has(raw)) return false
    fetched.add(raw)
    return (await limits.fetch(request)) && rooms.mayMake('Document', request.ip)
  }
  const onEnded = (reason: string, subject?: string) => {
    const { req, oidc } = Provider.ctx ?? {}
    const address = req && readAddress(req)
    audit.write('sign_in_ended', { address, clientId: oidc?.client?.clientId, subject, reason })
  }
  const onTrouble = (err: unknown) => {
    metrics.count('provider_failures', 'refresh')
    app.log.warn({ err }, 'the provider cannot be asked')
  }
  const upstream = new Upstream(settings, `${settings.BROKER_URL}/callback`, onTrouble)
  const keys = loadKeys(settings)
  const seal = createSeal(keys)
  const keptSignIns = new KeptSignIns({ store, seal, upstream, ttlS: signInS, freshMs: settings.UPSTREAM_CHECK_MS })
  const onReused = (kind: string) => onEnded(`a ${kind} was used twice`)
  const parts = { settings, store, accounts, rooms, keptSignIns }
  const beforeUse = createUseCheck({ ...parts, onEnded })
  const provider = createProvider({ ...parts, keys, mayFetch, readAddress, onReused, beforeUse })
  const signIn = new SignIn({ ...parts, provider, upstream, audit, metrics, log: app.log })
  logEvents(app, provider, audit, readAddress)
  app.addHook('onRequest', async (request, reply) => {
    requests.set(request.raw, request)
    setOwnUrl(settings.BROKER_URL, request.raw.headers)
    if (settings.BROKER_URL.startsWith('https:')) reply.header('strict-transport-security', 'max-age=31536000')
  })
  app.addHook('preClose', async () => closeAsAnswered(app.server))
  app.addHook('onClose', () => store.close())
  app.setErrorHandler<{ statusCode?: number }>((err, { ip: address }, reply) => {
    const status = err.statusCode ?? 500
    if (status >= 500) app.log.error({ err, address }, 'the broker failed')
    // Texts of libraries are only for the log.
    return reply.code(status).headers(PAGE_HEADERS).send(errorPage('The broker could not do this now.'))
  })
  app.get('/health', async () => ({ status: 'ok' }))
  const isReady = createReadiness(store, upstream, app.log)
  app.get('/ready', async (_, reply) => {
    const isOk = await isReady()
    return reply.code(isOk ? 200 : 503).send({ status: isOk ? 'ok' : 'not ready' })
  })
  const { HOST: host, METRICS_PORT: port } = settings
  const readMetrics = async () =>
    metrics.toText({
      toolrack_broker_ready: Number(await isReady()),
      process_resident_memory_bytes: process.memoryUsage.rss(),
    })
  if (port !== undefined) addMetricsServer(app, { host, port }, readMetrics)
  await app.register(async scope => addPages(scope, signIn, settings, limits))
  await app.register(async scope => addProvider(scope, provider, limits))
  return app
}

/**
 * A refresh that runs while the broker stops is answered, because its client's old token is used up.
 * Node would otherwise keep the connection for another request.
 */
function closeAsAnswered(server: Server): void {
  const timer = setInterval(() => server.closeIdleConnections(), 100)
  server.once('close', () => clearInterval(timer))
}

function createStore({ REDIS_URL, REDIS_PREFIX }: Settings, onTrouble: (error: Error) => void): Store {
  if (REDIS_URL === undefined) return new MemoryStore()
  return new RedisStore(connectRedis(REDIS_URL, onTrouble), REDIS_PREFIX, onTrouble)
}

function toLoggedMembers(thrown: unknown) {
  const error: Error & { readonly code?: unknown } = toLogged(thrown)
  return { type: error.name, message: explainError(error), code: error.code, stack: error.stack ?? '' }
}

/** The library reads its own URL from headers, so these always get BROKER_URL. */
function setOwnUrl(brokerUrl: string, headers: Record<string, unknown>): void {
  const { host, protocol } = new URL(brokerUrl)
  for (const name of ['forwarded', 'x-forwarded-host', 'x-forwarded-port']) delete headers[name]
  Object.assign(headers, { host, 'x-forwarded-proto': protocol.slice(0, -1) })
}

/** The pages for users. */
function addPages(
  app: FastifyInstance,
  signIn: SignIn,
  { BROKER_URL }: Settings,
  limits: Record<LimitName, Limit>,
): void {
  const cookie = createBrowserCookie(BROKER_URL)
  const readBrowser = ({ headers }: FastifyRequest) => cookie.read(headers.cookie)
  const show = (reply: FastifyReply, step: Step) => {
    if (step.status === 303) return reply.header('cache-control', 'no-store').redirect(step.location, 303)
    if (step.browser !== undefined) reply.header('set-cookie', cookie.write(step.browser))
    return reply.code(step.status).headers(PAGE_HEADERS).send(step.page)
  }
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, new URLSearchParams(body as string)),
  )
  app.addHook('onRequest', async (request, reply) => {
    if (!(await limits.consent(request))) return refuse(reply)
  })
  app.get<{ Params: { uid: string } }>('/consent/:uid', async (request, reply) =>
    show(reply, await signIn.ask(request.raw, reply.raw, request.params.uid, readBrowser(request))),
  )
  app.post<{ Params: { uid: string }; Body: URLSearchParams }>('/consent/:uid', async (request, reply) => {
    const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers
    const isOwn = (origin === undefined || origin === BROKER_URL) && site === 'same-origin'
    const form = isOwn && request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    const answer = { browser: readBrowser(request), csrf: form.get('csrf'), answer: form.get('answer') }
    return show(
      reply,
      await signIn.answer(request.raw, reply.raw, request.params.uid, { ...answer, address: request.ip }),
    )
  })
  app.get('/callback', async (request, reply) =>
    show(reply, await signIn.finish(new URL(request.url, BROKER_URL), readBrowser(request), request.ip)),
  )
}

/** The endpoints of the protocol, which the library serves. */
function addProvider(app: FastifyInstance, provider: Provider, limits: Record<LimitName, Limit>): void {
  const serve = provider.callback()
  // The provider reads bodies itself.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, _body, done) => done(null))
  const door = (method: 'GET' | 'POST', url: string, ...names: LimitName[]) =>
    app.route({
      method: [method, 'OPTIONS'],
      url,
      async onRequest(request, reply) {
        if (request.method === 'OPTIONS') return
        if (request.url.length > MAX_URL_LENGTH) return refuseUrl(reply)
        for (const name of names) if (!(await limits[name](request))) return refuse(reply)
      },
      async handler({ raw }, reply) {
        reply.hijack()
        for (const [name, value] of Object.entries(reply.getHeaders()))
          if (value !== undefined) reply.raw.setHeader(name, value)
        if (url === PATHS.registration && allowOrigins(raw.method, reply)) return
        serve(raw, reply.raw)
      },
    })
  door('GET', '/.well-known/oauth-authorization-server')
  door('GET', '/.well-known/openid-configuration')
  door('GET', PATHS.jwks)
  door('GET', PATHS.authorization, 'authorize')
  door('GET', `${PATHS.authorization}/:uid`, 'authorize')
  door('POST', PATHS.token, 'token')
  door('POST', PATHS.revocation, 'token')
  door('POST', PATHS.registration, 'register')
}

const refuseUrl = (reply: FastifyReply) =>
  reply
    .code(414)
    .headers(PAGE_HEADERS)
    .send(errorPage(`The address of the request has more than ${MAX_URL_LENGTH} characters.`))

/** Any page may register a client, as any program may. Elsewhere, the library allows this. */
function allowOrigins(method: string | undefined, { raw }: FastifyReply): boolean {
  raw.setHeader('access-control-allow-origin', '*')
  raw.setHeader('access-control-allow-headers', 'content-type')
  if (method !== 'OPTIONS') return false
  raw.writeHead(204).end()
  return true
}

/** Logs events of the library. */
function logEvents({ log }: FastifyInstance, provider: Provider, audit: Audit, readAddress: ReadAddress): void {
  const from = ({ req, oidc }: Context) => ({
    address: readAddress(req),
    clientId: oidc?.client?.clientId,
    subject: (oidc?.entities.Grant ?? oidc?.entities.Account)?.accountId,
  })
  provider.on('registration_create.success', (context, client: Client) =>
    audit.write('client_registered', {
      ...from(context),
      clientId: client.clientId,
      name: client.clientName,
      redirectUris: client.redirectUris,
    }),
  )
  provider.on('grant.success', context => {
    const { client, params: { grant_type: grant, audience, resource, scope } = {} } = context.oidc
    if (client === undefined) return
    const isServer = client.clientId === EXCHANGE_CLIENT_ID
    audit.write('tokens_given', {
      ...from(context),
      grant,
      ...(isServer && { service: audience ?? resource, scope }),
    })
    // The state does not contain secrets of the operator.
    if (isServer || client.clientIdMetadataDocument === true) return
    provider.Client.adapter
      .upsert(client.clientId, client.metadata(), USED_CLIENT_TTL_S)
      .catch(err => log.error({ err }, 'the client was not kept'))
  })
  const refused =
    (event: EventName) =>
    (context: Context, error: { error?: string; error_detail?: string; error_description?: string }) =>
      audit.write(event, {
        ...from(context),
        reason: error.error,
        description: error.error_description,
        detail: error.error_detail,
      })
  provider.on('grant.revoked', context => audit.write('sign_in_ended', { ...from(context), reason: 'revoked' }))
  provider.on('grant.error', refused('tokens_refused'))
  provider.on('authorization.error', refused('authorization_refused'))
  provider.on('registration_create.error', refused('registration_refused'))
  provider.on('server_error', (context, err: Error) =>
    log.error({ err, ...from(context) }, 'the authorization server failed'),
  )
}
