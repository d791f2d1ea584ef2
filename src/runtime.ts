// Creates every part of one server, once, in order.
import { Access } from './auth/access.ts'
import { Seal } from './auth/seal.ts'
import { hasSetting } from './config/environment.ts'
import { toBriefInfo } from './config/identity.ts'
import { LiveSettings } from './config/live-settings.ts'
import type { ResolvedOptions } from './config/options.ts'
import type { Settings } from './config/settings.ts'
import {
  type AccessPlan,
  type Credentials,
  createCredentials,
  createEndCheck,
  listAuthorizationServers,
  toClientScopes,
} from './credentials.ts'
import { type DefinitionSources, openSources, type SourcePlan } from './definition-sources.ts'
import type { Doors } from './doors/doors.ts'
import type { DoorRuntime } from './doors/serve-request.ts'
import { Admission } from './execution/admission.ts'
import type { CallerTokens } from './execution/caller-tokens.ts'
import { toClientText } from './execution/error-text.ts'
import type { Executor } from './execution/executor.ts'
import { HandlerErrorLog } from './execution/handler-error-log.ts'
import { IdempotentCalls } from './execution/idempotency.ts'
import { type Isolation, type OpenIsolation, openWhenNeeded } from './execution/isolation.ts'
import type { Mask } from './execution/mask.ts'
import type { Masks } from './execution/masks.ts'
import { Semaphore } from './execution/semaphore.ts'
import { SlowChecks } from './execution/slow-checks.ts'
import { createUnhandledErrorLog } from './execution/unhandled-error-log.ts'
import { SessionRegistry } from './legacy/session-registry.ts'
import { SessionTickets } from './legacy/session-tickets.ts'
import { notifySessions } from './legacy/task-notifications.ts'
import { mayRead } from './methods/resources.ts'
import type { Audit } from './observability/audit.ts'
import { createEndedRequest, type EndedRequest } from './observability/ended-request.ts'
import { goesToTerminal } from './observability/logger.ts'
import type { Metrics } from './observability/metrics.ts'
import type { Recorders } from './observability/recorders.ts'
import { type RequestEnded, RequestEvents } from './observability/request-ended.ts'
import { endSpanOf } from './observability/tracing.ts'
import { logEnded, RefusalLog, warnOfRefusals, warnOfSlowCalls } from './observability/warnings.ts'
import { toServerMeta } from './protocol/encode.ts'
import { META_SERVER } from './protocol/schemas/common.ts'
import { Catalog, createToolFilter, type DefinitionParts } from './registry/catalog.ts'
import { ChangeEmitter } from './registry/changes.ts'
import { Hooks } from './registry/hooks.ts'
import { createRateKey } from './request/claim-keys.ts'
import type { Log } from './request/exchange.ts'
import { Inflight } from './request/inflight.ts'
import { Owners } from './request/owners.ts'
import { createRequestIds } from './request/request-ids.ts'
import { createUnsentBounds, UnsentBytes } from './request/unsent-bytes.ts'
import type { SharedVersions } from './state/list-versions.ts'
import type { State } from './state/state.ts'
import { getBackend } from './state/store.ts'
import { taskRunner } from './tasks/runner.ts'
import type { TaskTools } from './tasks/task-tools.ts'
import { TaskService, type TaskServiceParts } from './tasks/tasks.ts'
import { BodyBytes, createBodyBounds } from './transport/body-bytes.ts'
import { createOtherPageCheck } from './transport/own-page.ts'
import { StreamRegistry } from './transport/sse.ts'

const MAX_STREAMS_PER_PROCESS = 12_000

export interface Runtime extends DoorRuntime, Omit<Credentials, 'callerTokens'>, DefinitionSources {
  /** The settings as they were at the start. */
  readonly settings: Settings
  /** The folders with tools; undefined if only the program adds them. */
  readonly toolsDir: readonly string[] | undefined
  /** Whether it runs in another app, which has its own routes. */
  readonly isPlugin: boolean
  /** The current values of secrets that change. */
  readonly liveSettings: LiveSettings
  readonly state: State
  readonly metrics: Metrics
  readonly audit: Audit
  readonly doors: Doors
  /** Hides values of secrets in records and logs. */
  readonly secretMask: Mask
  readonly sessions: SessionRegistry
  readonly streams: StreamRegistry
  /** Request bodies that have not arrived completely. */
  readonly bodies: BodyBytes
  readonly isolation: Isolation
  /** Whether a caller's credential was revoked before its end. */
  readonly hasEnded: (caller: object) => boolean
  readonly log: Log
  /** Converts the end of a request to the form for programs. */
  readonly toEndedRequest: (ended: RequestEnded) => EndedRequest
  /** Starts to run queued tasks. Call after all tools are registered. */
  runTasks(): void
}

interface GivenParts {
  /** The state, already started. */
  readonly state: State
  readonly doors: Doors
  readonly sourcePlan: SourcePlan
  readonly openIsolation: OpenIsolation
  readonly masks: Masks
  readonly recorders: Recorders
  readonly accessPlan: AccessPlan
  readonly definitionParts: DefinitionParts
  /** Undefined: the settings want none. */
  readonly taskTools?: TaskTools | undefined
  readonly log: Log
}

export function createRuntime(resolved: ResolvedOptions, given: GivenParts): Runtime {
  const { settings, identity, isPlugin } = resolved
  const { instructions, ...serverInfo } = identity
  const observers = createObservers(resolved, given)
  const running = createRunning(resolved, given, observers)
  const served = createServed(resolved, given, observers, running)
  const { secretMask, events, liveSettings } = observers
  const { seal, hooks, inflight, credentials, executor, isolation } = running
  const { tasks, access, catalog } = served
  const unsent = new UnsentBytes(createUnsentBounds(settings.maxResultBytes))
  const hasEnded = createEndCheck(credentials.ways)
  const { state, doors, recorders, log } = given
  const listen = resolved.doubles?.listenToTask
  const runner = { tasks, catalog, executor, inflight, access, events, ...recorders, log, listen }
  return Object.freeze({
    state,
    doors,
    ...recorders,
    log,
    settings,
    toolsDir: resolved.toolsDir,
    isPlugin,
    liveSettings,
    createRequestId: createRequestIds(),
    serverInfo,
    fullServerMeta: toServerMeta({ [META_SERVER]: serverInfo }),
    serverMeta: toServerMeta({ [META_SERVER]: toBriefInfo(serverInfo) }),
    instructions,
    maxStreams: MAX_STREAMS_PER_PROCESS,
    ...credentials,
    ...served,
    seal,
    executor,
    hooks,
    isolation,
    inflight,
    unsent,
    hasEnded,
    streams: new StreamRegistry({ unsent, hasEnded }),
    bodies: new BodyBytes(createBodyBounds(settings.maxBodyBytes)),
    secretMask,
    events,
    toEndedRequest: createEndedRequest(secretMask, settings.tenantClaim),
    runTasks: () => tasks.onTask(taskRunner(runner)),
  })
}

/** The parts that observe requests, and changes of secrets. */
function createObservers({ settings, secretFiles }: ResolvedOptions, given: GivenParts) {
  const { masks, recorders, log } = given
  const { audit } = recorders
  const liveSettings = new LiveSettings({
    settings,
    files: secretFiles,
    onSecret: secret => masks.liveSecrets.keep(secret),
    onRenewed: setting => audit.record({ event: 'secret-renewed', setting }),
    log,
  })
  return { ...masks, ...recorders, events: createEvents(settings, given), liveSettings }
}

type OfObservers = ReturnType<typeof createObservers>

/** The parts that run handlers, and tokens for them. */
function createRunning(
  resolved: ResolvedOptions,
  { state, doors, openIsolation, accessPlan: plan, log }: GivenParts,
  observers: OfObservers,
) {
  const { settings } = resolved
  const { metrics, mask, secretMask } = observers
  const seal = createSeal(settings, state)
  const hooks = new Hooks(resolved.hooks, { log, explain: thrown => toClientText(thrown, { mask, secretMask }) })
  const inflight = new Inflight(resolved.doubles?.timers)
  const { resources } = doors
  const { callerTokens, ...credentials } = createCredentials(resolved, {
    ...observers,
    plan,
    resources,
    inflight,
    seal,
    log,
  })
  const parts = { seal, state, metrics, hooks, inflight, mask, secretMask, callerTokens, log }
  const executor = createExecutor(settings, parts)
  const { reportUnhandledError, errorLog: faults } = executor
  const { maxResultBytes } = settings
  const isolation = openWhenNeeded(openIsolation, { log, reportUnhandledError, faults, maxResultBytes })
  return { seal, hooks, inflight, credentials, executor, isolation }
}

/** The parts that clients see: the catalog and its sources, tasks and sessions. */
function createServed(
  resolved: ResolvedOptions,
  { state, sourcePlan, definitionParts, taskTools, log }: GivenParts,
  { audit, secrets, liveSecrets }: OfObservers,
  { seal, hooks, executor, isolation, credentials }: ReturnType<typeof createRunning>,
) {
  const { settings, doubles } = resolved
  const owners = new Owners(settings.tenantClaim)
  const changes = new ChangeEmitter()
  const catalog = createCatalog(settings, changes, isolation, definitionParts)
  const all = openSources(resolved, sourcePlan, { catalog, executor, hooks, audit, secrets, liveSecrets, log })
  const tasks = createTasks(settings, state, {
    timers: doubles?.timers,
    subjectTokens: executor.callerTokens.subjectTokens,
    taskTools,
  })
  const access = createAccess(resolved, { catalog, hooks, ways: credentials.ways })
  if (taskTools !== undefined) all.sources.putLast(taskTools.create({ tasks, access, owners }))
  const sessions = createSessions(settings, state, { catalog, access, hooks, changes, seal })
  notifySessions({ tasks, access }, sessions)
  return { owners, changes, catalog, ...all, tasks, access, sessions }
}

function createEvents({ slowCallMs }: Settings, { recorders, log }: GivenParts): RequestEvents {
  const { audit, metrics, tracing } = recorders
  const events = new RequestEvents()
  if (tracing !== undefined) events.on(endSpanOf)
  for (const listener of metrics.listeners) events.on(listener)
  if (audit.isOn) events.on(audit.write)
  events.on(warnOfRefusals(new RefusalLog(log, audit.requestLogLevel)))
  events.on(warnOfSlowCalls(slowCallMs))
  return events.on(logEnded(audit.requestLogLevel))
}

function createCatalog(
  settings: Settings,
  changes: ChangeEmitter,
  { isolate }: Isolation,
  parts: DefinitionParts,
): Catalog {
  const { toolsInclude, toolsExclude, requiredScopes, taskFallbackTools: hasTaskFallback } = settings
  return new Catalog(changes, {
    ...parts,
    isolate,
    hasTaskFallback,
    requiredScopes,
    toolFilter: createToolFilter(toolsInclude, toolsExclude),
    hasSetting,
  })
}

function createAccess(
  { settings, metadataUrl, isPlugin }: ResolvedOptions,
  { catalog, hooks, ways }: Pick<Runtime, 'catalog' | 'hooks' | 'ways'>,
): Access {
  return new Access({
    hierarchy: settings.scopeHierarchy,
    toClientScopes: scopes => toClientScopes(ways, scopes),
    get metadataUrl() {
      return listAuthorizationServers(ways).length > 0 ? metadataUrl : undefined
    },
    deniesByResult: settings.scopeDenial === 'result',
    isOtherPage: createOtherPageCheck(settings),
    toOriginSetting: origin => (isPlugin ? `allowedOrigins: ['${origin}']` : `ALLOWED_ORIGINS=${origin}`),
    isTaskVisible({ tool: name, absent }, caller, client) {
      const tool = catalog.tools.find(name)
      return tool === undefined
        ? hooks.isRemovedToolVisible(absent, caller, client)
        : hooks.isVisible(tool, caller, client)
    },
  })
}

function createSessions(
  { sessionTtlMs: ttlMs, stateSecret }: Settings,
  { sessions, events, replicas }: State,
  { changes, seal, ...served }: Pick<Runtime, 'catalog' | 'access' | 'hooks' | 'changes' | 'seal'>,
): SessionRegistry {
  // A random secret ends with the process; a store that outlives it keeps the sessions themselves.
  const isSealed = stateSecret !== undefined && getBackend(sessions).outlivesProcess !== true
  const tickets = isSealed ? new SessionTickets({ seal, ttlMs }) : undefined
  return new SessionRegistry({
    sessions,
    events,
    changes,
    replicas,
    ttlMs,
    tickets,
    mayRead: (reader, uri) => mayRead(served, reader, uri),
  })
}

function createSeal({ stateSecret, stateSecretPrevious }: Settings, state: State): Seal {
  const seal = new Seal(stateSecret, stateSecretPrevious)
  if (stateSecret === undefined) state.secret.follow(secret => seal.adopt(secret))
  return seal
}

function createTasks(
  { taskInlineMs, taskTtlMs }: Settings,
  state: State,
  { taskTools, ...parts }: TaskServiceParts & Pick<GivenParts, 'taskTools'>,
): TaskService {
  // With a shorter TTL, the task would expire before the call returns it.
  const inlineMs = Math.min(taskInlineMs, taskTtlMs / 2)
  const rules = { ttlMs: taskTtlMs, inlineMs, describeAsText: taskTools?.describe }
  return new TaskService(state.tasks, state.taskQueue, rules, parts)
}

interface ExecutorParts {
  readonly seal: Seal
  readonly hooks: Hooks
  readonly inflight: Inflight
  readonly mask: Mask
  readonly secretMask: Mask
  readonly callerTokens: CallerTokens
  readonly state: State
  readonly metrics: Metrics
  readonly log: Log
}

function createExecutor(
  settings: Settings,
  { seal, state, metrics, hooks, inflight, mask, secretMask, callerTokens, log }: ExecutorParts,
): Executor {
  const { maxConcurrentCalls, maxQueuedCalls, rateLimitClaim, toolTimeoutMs, maxResultBytes, errorMessages } = settings
  const { clientLogging } = settings
  const errorLog = new HandlerErrorLog({ mask, secretMask, isForPeople: goesToTerminal(log) })
  return Object.freeze({
    admission: new Admission(
      metrics.countLimits(state.toolLimits, 'tools'),
      new Semaphore({ max: maxConcurrentCalls, maxQueued: maxQueuedCalls }),
      createRateKey(rateLimitClaim),
    ),
    mask,
    callerTokens,
    seal,
    usedTokens: state.usedTokens,
    files: state.files,
    idempotency: new IdempotentCalls(state.keptResults, inflight),
    reportUnhandledError: createUnhandledErrorLog({
      log,
      mask,
      count: metrics.unhandledError,
      describeOrigin: fault => errorLog.describeOrigin(log, fault),
    }),
    errorLog,
    hooks,
    slowChecks: new SlowChecks(),
    rules: Object.freeze({ toolTimeoutMs, maxResultBytes, errorMessages, clientLogging }),
  } satisfies Executor)
}

/** Shares changes with other replicas. Call after the initial registration, which does not count as one. */
export function shareChanges(changes: ChangeEmitter, shared: SharedVersions): void {
  // A kept session of a former process may not know the lists of this one.
  const first = Date.now()
  if (shared.isLocal) changes.adoptVersions({ tools: first, prompts: first, resources: first })
  changes.onPublish(change => {
    if (change.kind === 'updated') shared.publishResourceUpdate(change.uri)
    else shared.publishListChange(change.kind)
  })
  shared.subscribe(
    () => changes.versions,
    change => {
      if (change.kind === 'updated') changes.emit(change)
      else changes.adoptVersions(change.versions)
    },
  )
}
