// Resolves and validates a server's options before the start: settings, identity, definitions.
import { existsSync, realpathSync } from 'node:fs'
import type { DestinationStream } from 'pino'
import type { Definition } from '../registry/catalog.ts'
import { type DefinitionKind, hasKind, tagDefinition } from '../registry/definition.ts'
import type { TokenDouble } from '../registry/handler-context.ts'
import type { OnCall, ToolHooks, Visible } from '../registry/hooks.ts'
import type { OnGetPrompt, VisiblePrompt } from '../registry/prompt.ts'
import type { OnReadResource, VisibleResource } from '../registry/resource.ts'
import type { Exchange } from '../request/exchange.ts'
import type { Timers } from '../request/timers.ts'
import { findStateProblem } from '../state/shape.ts'
import type { State } from '../state/state.ts'
import { getAuthorizationServers } from './access.ts'
import { getSamplesDir } from './environment.ts'
import { type Identity, type IdentityOptions, resolveIdentity } from './identity.ts'
import type { Project } from './project.ts'
import { getPublicUrl, toMetadataUrl } from './public-url.ts'
import {
  assertEndpointPath,
  ConfigError,
  isDefaultToolsDir,
  optionName,
  readOptions,
  type SecretFile,
  type Settings,
} from './settings.ts'

/**
 * Each is a value, or its text as in the environment; validated when the server is created. What is
 * undefined is not set, but for `logLevel`: routes of Fastify have an option of that name.
 */
export type SettingOptions = {
  [K in keyof Settings]?:
    | Settings[K]
    | ([Settings[K]] extends [string] ? never : string)
    | (K extends 'logLevel' ? never : undefined)
}

export interface ToolrackOptions
  extends Omit<SettingOptions, keyof IdentityOptions | 'extensions' | 'state'>,
    IdentityOptions {
  /** Ids, or settings by id. SEP-2133. */
  extensions?: SettingOptions['extensions'] | readonly string[]
  tools?: readonly Definition[] | undefined
  resources?: readonly Definition[] | undefined
  prompts?: readonly Definition[] | undefined
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
   * in memory, or in Redis with `redisUrl`.
   */
  state?: State | string | undefined
  /** Replaces `auditFile`. Default: none in a plugin, the log in a server. */
  auditStream?: DestinationStream | undefined
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

/** What a test puts in the place of parts of a server. */
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
  /** What the user calls a setting. */
  displayName?(name: string): string
  readonly secretFiles?: readonly SecretFile[]
  /** Whose name and version a server has by default. */
  readonly project?: Project | undefined
}

/** @throws ConfigError naming the option */
export function resolveOptions(
  options: ToolrackOptions,
  { prefix, displayName = optionName, secretFiles = [], project }: ResolveContext = {},
): ResolvedOptions {
  const { tools = [], resources = [], prompts = [], auditStream, state, ...ruled } = options
  const { onCall, visible, onGetPrompt, visiblePrompt, onReadResource, visibleResource, ...described } = ruled
  const hooks = { onCall, visible, onGetPrompt, visiblePrompt, onReadResource, visibleResource }
  const { name, version, title, description, websiteUrl, icons, instructions, ...rest } = described
  const said = { name, version, title, description, websiteUrl, icons, instructions }
  for (const [option, value] of Object.entries({ tools, resources, prompts })) {
    if (!Array.isArray(value)) throw new ConfigError(`${option}: expected an array of definitions`)
  }
  for (const [option, value] of Object.entries(hooks)) {
    if (value !== undefined && typeof value !== 'function') throw new ConfigError(`${option}: expected a function`)
  }
  assertStream('auditStream', auditStream)
  const stores = typeof state === 'string' ? undefined : state
  assertState(stores, rest.redisUrl)
  const isPlugin = prefix !== undefined
  const given = readOptions(stores === undefined ? { ...rest, state } : rest)
  const settings = withPrefix(prefix ?? '', given)
  assertEndpointPath(settings, optionName, { isPlugin })
  return {
    settings,
    isPlugin,
    namedUrl: given.publicUrl,
    secretFiles,
    identity: resolveIdentity(said, settings, { displayName, project }),
    definitions: [...tools, ...withKind('resource', resources), ...withKind('prompt', prompts)],
    hooks,
    state: stores,
    ...findToolsFolders(settings, { isGiven: rest.toolsDir !== undefined }),
    auditSink: { stream: auditStream },
    metadataUrl: findMetadataUrl(settings, prefix ?? ''),
  }
}

function findToolsFolders(
  settings: Settings,
  { isGiven }: { readonly isGiven: boolean },
): Pick<ResolvedOptions, 'toolsDir' | 'samplesDir'> {
  const toolsDir = isGiven ? settings.toolsDir : undefined
  if (!settings.samples) return { toolsDir, samplesDir: undefined }
  const samplesDir = getSamplesDir()
  // Somebody who wants the samples alone has no folder, and is told nothing about it.
  if (isDefaultToolsDir(settings) && !settings.toolsDir.some(existsSync)) return { toolsDir: undefined, samplesDir }
  const isSamples = (folder: string) => existsSync(folder) && realpathSync(folder) === realpathSync(samplesDir)
  return { toolsDir, samplesDir: toolsDir?.some(isSamples) ? undefined : samplesDir }
}

// Without it, a plain object with a handler counts as a tool.
function withKind(kind: DefinitionKind, definitions: readonly Definition[]): Definition[] {
  const isPlain = (value: unknown) =>
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return definitions.map(each => (isPlain(each) && !hasKind(each) ? tagDefinition(kind, each) : each))
}

function findMetadataUrl(settings: Settings, prefix: string): string | undefined {
  // Issuers at which people sign in can come into the file.
  const mayExist = settings.issuersFile !== undefined || getAuthorizationServers(settings).length > 0
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
  if (redisUrl !== undefined) throw new ConfigError('redisUrl and state exclude each other: set state: redis({ url })')
  const problem = findStateProblem(state)
  if (problem !== undefined) throw new ConfigError(`state: ${problem}`)
}

/** @throws ConfigError naming the option; else only the first line would fail */
export function assertStream(option: string, stream: unknown): void {
  if (stream === undefined || typeof (stream as { write?: unknown } | null)?.write === 'function') return
  throw new ConfigError(`${option}: expected a stream, with write`)
}
