// Resolves and validates a server's options before the start: settings, identity, definitions.
import { existsSync, realpathSync } from 'node:fs'
import type { DestinationStream } from 'pino'
import type { Definition } from '../registry/catalog.ts'
import { type DefinitionKind, hasKind, tagDefinition } from '../registry/definition.ts'
import type { TokenDouble } from '../registry/handler-context.ts'
import type { OnCall, ToolHooks, Visible } from '../registry/hooks.ts'
import { isPlainObject } from '../registry/plain-object.ts'
import type { OnGetPrompt, VisiblePrompt } from '../registry/prompt.ts'
import type { OnReadResource, VisibleResource } from '../registry/resource.ts'
import { type DefinitionSource, isSource } from '../registry/source.ts'
import type { Exchange } from '../request/exchange.ts'
import type { Timers } from '../request/timers.ts'
import { findStateProblem } from '../state/shape.ts'
import type { State } from '../state/state.ts'
import { listFlatServers } from './access.ts'
import type { HostKind } from './doors.ts'
import { getSamplesDir } from './environment.ts'
import { type Identity, type Project, resolveIdentity } from './identity.ts'
import { getPublicUrl, toMetadataUrl } from './public-url.ts'
import { createServerOnlyError, readOptions, warnOfFlatName } from './read-options.ts'
import type { OptionsOf, PluginRows } from './setting-row.ts'
import {
  assertEndpointPath,
  ConfigError,
  isDefaultToolsDir,
  optionName,
  type Rows,
  type SecretFile,
  type Settings,
} from './settings.ts'

/** The settings that a plugin takes, typed and in groups; docs/reference/settings.md has them. */
export type PluginSettings = OptionsOf<PluginRows<Rows>>
/**
 * The settings that a whole server takes.
 * The same of a whole server.
 */
export type ServerSettings = OptionsOf<Rows>

/** The options of a program that are not settings. */
export interface OptionParts {
  tools?: readonly Definition[] | undefined
  resources?: readonly Definition[] | undefined
  prompts?: readonly Definition[] | undefined
  /** Where other definitions come from, in their order: of a name, the first one is served. */
  sources?: readonly DefinitionSource[] | undefined
  /** Runs around each call of a tool: may refuse, change, time or cache it. */
  onCall?: OnCall | undefined
  /** Decides which tools a caller sees and may call, beside scopes. */
  visible?: Visible | undefined
  /** Runs around each handler of a prompt. */
  onGetPrompt?: OnGetPrompt | undefined
  /** Decides which prompts a caller sees and may get, beside scopes. */
  visiblePrompt?: VisiblePrompt | undefined
  /** Runs around each handler of a resource. */
  onReadResource?: OnReadResource | undefined
  /** Decides which resources a caller sees and may read, beside scopes. */
  visibleResource?: VisibleResource | undefined
  /**
   * Where all is kept that outlives a request, or its text such as `sqlite:./toolrack.db`. Default:
   * in memory, or in Redis with `redis: { url }`.
   */
  state?: State | string | undefined
  /** Of the server, for clients that show some. SEP-973. */
  icons?: readonly object[] | undefined
  audit?: AuditOptions | undefined
}

type AuditOptions = NonNullable<PluginSettings['audit']> & {
  /** In place of `file`. Default: none in a plugin, the log in a server. */
  stream?: DestinationStream | undefined
}

/** The same, as they are checked. */
interface Parts extends Omit<OptionParts, 'audit' | 'state'> {
  readonly state?: State | undefined
  readonly auditStream?: DestinationStream | undefined
}

/** The options of the plugin. `prefix`, `logLevel` and `logSerializers` of Fastify apply to its routes. */
export interface ToolrackOptions extends Omit<PluginSettings, 'state' | 'audit'>, OptionParts {}

/** The options of `createServer`: the same, and those that an app around a plugin decides. */
export interface ServerOptions extends Omit<ServerSettings, 'state' | 'audit'>, OptionParts {
  /** Where the log goes; default: JSON lines on stdout, or on stderr beside the door `stdio()`. `logLevel` sets the level. */
  logStream?: DestinationStream | undefined
}

export interface AuditSink {
  /** Overrides `AUDIT_FILE`; without either, no audit is written. */
  readonly stream?: DestinationStream | undefined
  /** Whether the stream is also the log. */
  readonly isLog?: boolean
}

export interface ResolvedOptions {
  readonly settings: Settings
  /** Whether it runs in another app, which has its own routes. */
  readonly isPlugin: boolean
  /** PUBLIC_URL, where the operator has set it. */
  readonly namedUrl: string | undefined
  /** Which secrets change with a file. */
  readonly secretFiles: readonly SecretFile[]
  readonly identity: Identity
  readonly definitions: readonly Definition[]
  readonly sources: readonly DefinitionSource[]
  readonly hooks: ToolHooks
  readonly toolsDir: readonly string[] | undefined
  /** The folder of the tools that ship; undefined if they are not wanted, or `toolsDir` has it. */
  readonly samplesDir: string | undefined
  /** Undefined: what the settings say. */
  readonly state?: State | undefined
  readonly auditSink: AuditSink
  /** The protected resource metadata; undefined without an authorization server. */
  readonly metadataUrl: string | undefined
  /** Only in tests. */
  readonly doubles?: TestDoubles
}

/** Replaces parts of a server in tests. */
export interface TestDoubles {
  readonly timers?: Timers
  /** Gives tools their tokens for other services. */
  readonly tokenFor?: TokenDouble
  /** Lets a test listen to what the runs of a task report. */
  listenToTask?(exchange: Exchange): Exchange
  /** A folder in the place of the built console. */
  readonly consoleDir?: string
}

export interface ResolveContext {
  /** Of the plugin's paths; undefined for a server. */
  readonly prefix?: string
  /** The user's name for a setting. */
  displayName?(name: string): string
  readonly secretFiles?: readonly SecretFile[]
  /** Whose name and version a server has by default. */
  readonly project?: Project | undefined
}

/** The options of a program. @throws ConfigError naming the option */
export function resolveOptions(options: ServerOptions, context: ResolveContext = {}): ResolvedOptions {
  const isPlugin = context.prefix !== undefined
  if (isPlugin && options.logStream !== undefined) throw createServerOnlyError('logStream')
  const { parts, values } = splitOptions(options)
  const settings = readOptions(values, { isPlugin, others: [...PARTS, 'doors', 'state'] })
  const isToolsDirGiven = values['toolsDir'] !== undefined
  return resolveSettings(settings, { displayName: optionName, ...context, parts, isToolsDirGiven })
}

const HOOKS = ['onCall', 'visible', 'onGetPrompt', 'visiblePrompt', 'onReadResource', 'visibleResource'] as const
const PARTS = ['tools', 'resources', 'prompts', 'sources', 'icons', ...HOOKS] as const

function splitOptions({ state, audit, logStream: _log, ...rest }: ServerOptions): {
  readonly parts: Parts
  readonly values: Readonly<Record<string, unknown>>
} {
  const isPart = (name: string) => PARTS.some(part => part === name)
  const parts = Object.fromEntries(Object.entries(rest).filter(([name]) => isPart(name)))
  const values = Object.fromEntries<unknown>(Object.entries(rest).filter(([name]) => !isPart(name)))
  const { auditStream: flat, ...settings } = values
  if (flat !== undefined) warnOfFlatName('auditStream', 'audit.stream')
  const { stream, settings: auditSettings } = splitAudit(audit)
  const isText = typeof state === 'string'
  return {
    parts: {
      ...parts,
      state: isText ? undefined : state,
      auditStream: stream ?? (flat as DestinationStream | undefined),
    },
    values: { ...settings, audit: auditSettings, state: isText ? state : undefined },
  }
}

function splitAudit(audit: AuditOptions | undefined): {
  readonly stream?: DestinationStream
  readonly settings: unknown
} {
  if (typeof audit !== 'object' || audit === null || !isPlainObject(audit)) return { settings: audit }
  const { stream, ...settings } = audit
  return { stream, settings }
}

export interface SettingsContext extends ResolveContext {
  readonly parts?: Parts
  /** Whether the tools folder of the settings is read. */
  readonly isToolsDirGiven?: boolean
}

/** Settings that are read already, such as those of the environment. @throws ConfigError */
export function resolveSettings(
  given: Settings,
  {
    parts = {},
    isToolsDirGiven = true,
    prefix,
    displayName = name => name,
    secretFiles = [],
    project,
  }: SettingsContext = {},
): ResolvedOptions {
  const isPlugin = prefix !== undefined
  const { redisUrl } = given
  const settings = withPrefix(prefix ?? '', given)
  assertEndpointPath(settings, displayName, { isPlugin })
  assertAudit(settings, parts.auditStream, { isPlugin })
  return {
    settings,
    isPlugin,
    namedUrl: given.publicUrl,
    secretFiles,
    identity: resolveIdentity(settings, { icons: parts.icons, displayName, project }),
    ...checkParts(parts, redisUrl),
    ...findToolsFolders(settings, { isGiven: isToolsDirGiven }),
    auditSink: { stream: parts.auditStream },
    metadataUrl: findMetadataUrl(settings, prefix ?? ''),
  }
}

/** @throws ConfigError naming the option */
function checkParts(
  parts: Parts,
  redisUrl: string | undefined,
): Pick<ResolvedOptions, 'definitions' | 'sources' | 'hooks' | 'state'> {
  const { tools = [], resources = [], prompts = [], sources = [], state } = parts
  for (const [option, value] of Object.entries({ tools, resources, prompts })) {
    if (!Array.isArray(value)) throw new ConfigError(`${option}: expected an array of definitions`)
  }
  const hooks: ToolHooks = Object.fromEntries(HOOKS.map(name => [name, parts[name]]))
  for (const [option, value] of Object.entries(hooks)) {
    if (value !== undefined && typeof value !== 'function') throw new ConfigError(`${option}: expected a function`)
  }
  assertSources(sources)
  assertState(state, redisUrl)
  return {
    definitions: [...tools, ...withKind('resource', resources), ...withKind('prompt', prompts)],
    sources,
    hooks,
    state,
  }
}

function findToolsFolders(
  settings: Settings,
  { isGiven }: { readonly isGiven: boolean },
): Pick<ResolvedOptions, 'toolsDir' | 'samplesDir'> {
  const toolsDir = isGiven ? settings.toolsDir : undefined
  if (!settings.samples) return { toolsDir, samplesDir: undefined }
  const samplesDir = getSamplesDir()
  // Somebody who wants the samples alone needs no folder, so nothing warns of it.
  if (isDefaultToolsDir(settings) && !settings.toolsDir.some(existsSync)) return { toolsDir: undefined, samplesDir }
  const isSamples = (folder: string) => existsSync(folder) && realpathSync(folder) === realpathSync(samplesDir)
  return { toolsDir, samplesDir: toolsDir?.some(isSamples) ? undefined : samplesDir }
}

// Without it, a plain object with a handler counts as a tool.
function withKind(kind: DefinitionKind, definitions: readonly Definition[]): Definition[] {
  const isPlain = (value: unknown) => typeof value === 'object' && value !== null && isPlainObject(value)
  return definitions.map(each => (isPlain(each) && !hasKind(each) ? tagDefinition(kind, each) : each))
}

function findMetadataUrl(settings: Settings, prefix: string): string | undefined {
  // Issuers at which people sign in can come into the file.
  const mayExist = settings.issuersFile !== undefined || listFlatServers(settings).length > 0
  return mayExist ? toMetadataUrl(getPublicUrl(settings), prefix) : undefined
}

function withPrefix(prefix: string, settings: Settings): Settings {
  if (prefix === '' || settings.publicUrl !== undefined) return settings
  const publicUrl = getPublicUrl({ ...settings, mcpPath: `${prefix}${settings.mcpPath}` }).href
  return Object.freeze({ ...settings, publicUrl })
}

/** @throws ConfigError naming the store and the method that is missing */
function assertState(state: State | undefined, redisUrl: unknown): void {
  if (state === undefined) return
  if (redisUrl !== undefined) throw new ConfigError('redis.url and state exclude each other: set state: redis({ url })')
  const problem = findStateProblem(state)
  if (problem !== undefined) throw new ConfigError(`state: ${problem}`)
}

/** @throws ConfigError naming the first that is none */
function assertSources(sources: readonly unknown[]): void {
  if (!Array.isArray(sources)) throw new ConfigError('sources: expected an array of sources')
  const index = sources.findIndex(each => !isSource(each))
  if (index !== -1) throw new ConfigError(`sources[${index}]: expected a source, with a name and start`)
}

/** @throws ConfigError naming the option of an audit that goes to two places, or to none */
function assertAudit({ auditFile, auditArguments }: Settings, stream: unknown, { isPlugin }: HostKind): void {
  assertStream('audit.stream', stream)
  if (stream !== undefined && auditFile !== undefined)
    throw new ConfigError('audit.stream: expected either it or audit.file, not both')
  if (isPlugin && auditArguments && stream === undefined && auditFile === undefined)
    throw new ConfigError('audit.arguments: expected audit.file or audit.stream beside it')
}

/** @throws ConfigError naming the option; else only the first line would fail */
export function assertStream(option: string, stream: unknown): void {
  if (stream === undefined || typeof (stream as { write?: unknown } | null)?.write === 'function') return
  throw new ConfigError(`${option}: expected a stream, with write`)
}
