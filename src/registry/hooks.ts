// Rules of the program and of the tools folders for all tools, prompts and resources: one runs around
// each call, the other decides what a caller sees and may call. Each kind has rules of its own.
import { countJsonBytes } from '../protocol/json-size.ts'
import type { Caller, Log } from '../request/exchange.ts'
import { LogThrottle } from '../request/log-throttle.ts'
import type { AbsentTool } from '../state/task.ts'
import type { DefinitionKind } from './definition-kind.ts'
import { type ToolCaller, type ToolClient, type ToolContext, UNKNOWN_CLIENT } from './handler-context.ts'
import type { OnGetPrompt, PromptInfo, VisiblePrompt } from './prompt.ts'
import type { OnReadResource, ResourceInfo, VisibleResource } from './resource.ts'
import type { ToolAnnotations } from './tool-annotations.ts'

/** What a rule sees of a tool. */
export interface ToolInfo {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly annotations?: Readonly<ToolAnnotations> | undefined
  readonly scopes: readonly string[]
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
}

/** What `onCall` sees of a call. */
// biome-ignore lint/suspicious/noExplicitAny: arguments differ by tool
export interface ToolCall<Arguments = any> {
  readonly tool: ToolInfo
  /** Checked against the schema; of a library's schema, what its check makes of them. */
  readonly arguments: Arguments
  /** Undefined without access control. */
  readonly caller: ToolCaller | undefined
  readonly ctx: ToolContext
}

/**
 * Calls the next hook, and the handler after the last one. Resolves to what the handler returns.
 *
 * @param args replaces the arguments; they are not checked again
 */
/** Runs what is within a hook: further hooks, and the handler. */
// biome-ignore lint/suspicious/noExplicitAny: arguments differ by tool
export type Next<Arguments = any> = (args?: Arguments) => Promise<unknown>

/** Runs around the handler of a tool. Returns what the call returns: usually that of `next`. What it throws is the tool's error. */
// biome-ignore lint/suspicious/noExplicitAny: arguments differ by tool
export type OnCall<Arguments = any> = (call: ToolCall<Arguments>, next: Next<Arguments>) => unknown

/** Whether a caller sees a tool and may call it. It cannot wait: lists are written at once. */
export type Visible = (tool: ToolInfo, caller: Caller | undefined, client: ToolClient) => boolean

/**
 * The rules and hooks of a program, or of a file.
 * A rule of one kind holds for no other: what a rule of tools was not written for stays as it is.
 */
export interface ToolHooks {
  readonly onCall?: OnCall | undefined
  readonly visible?: Visible | undefined
  readonly onGetPrompt?: OnGetPrompt | undefined
  readonly visiblePrompt?: VisiblePrompt | undefined
  readonly onReadResource?: OnReadResource | undefined
  readonly visibleResource?: VisibleResource | undefined
}

/** What the rules of each kind are called, as options and as exports. */
export const RULE_NAMES = {
  tool: { around: 'onCall', visible: 'visible' },
  prompt: { around: 'onGetPrompt', visible: 'visiblePrompt' },
  resource: { around: 'onReadResource', visible: 'visibleResource' },
} as const satisfies Record<DefinitionKind, Record<'around' | 'visible', keyof ToolHooks>>

const KINDS = Object.keys(RULE_NAMES) as DefinitionKind[]

export const RULES: readonly (keyof ToolHooks)[] = KINDS.flatMap(kind => Object.values(RULE_NAMES[kind]))

// biome-ignore lint/suspicious/noExplicitAny: what it gets differs by kind
export type Around = (request: any, next: any) => unknown

/** What decides who sees an entry: its facts, and the rule of its own. */
export type Ruled =
  | { readonly kind: 'tool'; readonly info: ToolInfo; readonly visible: Visible | undefined }
  | { readonly kind: 'prompt'; readonly info: PromptInfo; readonly visible: VisiblePrompt | undefined }
  | { readonly kind: 'resource'; readonly info: ResourceInfo; readonly visible: VisibleResource | undefined }

type RuledTool = Extract<Ruled, { kind: 'tool' }>

// biome-ignore lint/suspicious/noExplicitAny: what it gets differs by kind
export type Sees = (info: any, caller: Caller | undefined, client: ToolClient) => boolean

/** Largest `ToolInfo` that a task keeps, bytes of JSON. */
const MAX_INFO_BYTES = 16 * 1024

/** Where the hooks of one tools folder are put. */
export interface FolderHooks {
  /**
   * Replaces the hooks of the folder.
   *
   * @param hooks undefined if it has some that have never loaded, as long as nothing is set
   * @returns the kinds of which some may have become visible or hidden
   */
  set(hooks: ToolHooks | undefined): readonly DefinitionKind[]
}

interface FolderSlot {
  hooks: ToolHooks | undefined
  readonly around: Readonly<Record<DefinitionKind, Around>>
}

type ByKind<Value> = Readonly<Record<DefinitionKind, Value>>
const byKind = <Value>(create: (kind: DefinitionKind) => Value): ByKind<Value> => ({
  tool: create('tool'),
  prompt: create('prompt'),
  resource: create('resource'),
})

export interface HooksOptions {
  readonly log: Log
  /** Formats a thrown value for the log. */
  explain(thrown: unknown): string
}

export class Hooks {
  readonly #options: HooksOptions
  readonly #throttle = new LogThrottle()
  readonly #program: ToolHooks
  readonly #folders: FolderSlot[] = []
  readonly #knownListeners: (() => void)[] = []
  #around: ByKind<readonly Around[]> = byKind(() => [])
  #visible: ByKind<readonly Sees[]> = byKind(() => [])

  constructor(program: ToolHooks, options: HooksOptions) {
    this.#program = program
    this.#options = options
    this.#collect()
  }

  /** The hooks around every call of a tool, the outermost first. */
  get onCall(): readonly OnCall[] {
    return this.#around.tool
  }

  get onGetPrompt(): readonly OnGetPrompt[] {
    return this.#around.prompt
  }

  get onReadResource(): readonly OnReadResource[] {
    return this.#around.resource
  }

  /** Adds a tools folder, whose hooks run within those of the folders before it. */
  addFolder(): FolderHooks {
    const slot: FolderSlot = {
      hooks: undefined,
      // A call that comes to it after a reload gets the new hook: what the old one uses may be
      // closed.
      around: byKind(kind => (request, next) => {
        const around: Around | undefined = slot.hooks?.[RULE_NAMES[kind].around]
        return around === undefined ? next() : around(request, next)
      }),
    }
    this.#folders.push(slot)
    return {
      set: hooks => {
        const wereKnown = this.areKnown
        slot.hooks = hooks
        const changed = this.#collect()
        if (!wereKnown && this.areKnown) for (const listener of this.#knownListeners) listener()
        return changed
      },
    }
  }

  /** Whether those of all folders hold: only then may what is in folders be served. */
  get areKnown(): boolean {
    return this.#folders.every(({ hooks }) => hooks !== undefined)
  }

  /** Calls back whenever `areKnown` has become true. */
  onKnown(listener: () => void): void {
    this.#knownListeners.push(listener)
  }

  /** @returns the kinds of which some may have become visible or hidden */
  #collect(): readonly DefinitionKind[] {
    const before = this.#visible
    this.#around = byKind(kind => {
      const name = RULE_NAMES[kind].around
      const ofFolders = this.#folders.map(({ hooks, around }) => hooks?.[name] && around[kind])
      return [this.#program[name], ...ofFolders].filter(hook => hook !== undefined)
    })
    this.#visible = byKind(kind => {
      const all = [this.#program, ...this.#folders.map(({ hooks }) => hooks)]
      return all.map(hooks => hooks?.[RULE_NAMES[kind].visible]).filter(rule => rule !== undefined)
    })
    return KINDS.filter(kind => !hasSame(before[kind], this.#visible[kind]))
  }

  /** @param entries all of one kind */
  hides(entries: readonly Ruled[]): boolean {
    const [first] = entries
    if (first === undefined) return false
    return this.#visible[first.kind].length > 0 || entries.some(({ visible }) => visible !== undefined)
  }

  /** A rule that fails hides the entry. */
  isVisible(entry: Ruled, caller: Caller | undefined, client: ToolClient): boolean {
    const isAllowed = this.#visible[entry.kind].every(rule => this.#asks(rule, entry, caller, client))
    return isAllowed && (entry.visible === undefined || this.#asks(entry.visible, entry, caller, client))
  }

  /**
   * Whether strangers may learn of the entry: what is told before there is a token. A rule that
   * needs a caller may fail here; that is no fault, and anybody could fill the log with it.
   */
  isPublic({ kind, info, visible }: Ruled): boolean {
    return this.#visible[kind].every(rule => allowsStranger(rule, info)) && (!visible || allowsStranger(visible, info))
  }

  /** What a task of the tool keeps for `isAbsentVisible`; undefined if there is no rule. */
  describeAbsent({ info, visible }: RuledTool): AbsentTool | undefined {
    const hasOwnRule = visible !== undefined
    if (!hasOwnRule && this.#visible.tool.length === 0) return undefined
    // The tool's own rule goes with it, so nothing will be asked.
    return { hasOwnRule, info: hasOwnRule || countJsonBytes(info) > MAX_INFO_BYTES ? undefined : info }
  }

  /** Whether a caller may see the tasks of a tool that is not served. What no rule can tell is hidden. */
  isAbsentVisible(absent: AbsentTool | undefined, caller: Caller | undefined, client: ToolClient): boolean {
    if (absent?.hasOwnRule || !this.areKnown) return false
    if (this.#visible.tool.length === 0) return true
    if (absent?.info === undefined) return false
    return this.isVisible({ kind: 'tool', info: absent.info as ToolInfo, visible: undefined }, caller, client)
  }

  #asks(rule: Sees, entry: Ruled, caller: Caller | undefined, client: ToolClient): boolean {
    try {
      return ask(rule, entry.info, caller, client)
    } catch (thrown) {
      this.#report(entry, thrown)
      return false
    }
  }

  #report({ kind, info: { name } }: Ruled, thrown: unknown): void {
    const { log, explain } = this.#options
    const repeated = this.#throttle.pass(`${kind} ${name}`)
    if (repeated === undefined) return
    log.error(
      { [kind]: name, reason: explain(thrown), ...repeated },
      `${kind} hidden, since its visibility rule failed`,
    )
  }
}

const hasSame = (before: readonly unknown[], after: readonly unknown[]) =>
  before.length === after.length && before.every((each, index) => each === after[index])

/** @throws what the rule throws; TypeError if it answers neither true nor false */
function ask(rule: Sees, info: Ruled['info'], caller: Caller | undefined, { capabilities }: ToolClient): boolean {
  // An exchange has more, such as the headers with the caller's token.
  const answer: unknown = rule(info, caller, { capabilities })
  if (typeof answer === 'boolean') return answer
  // Its rejection would end the process.
  Promise.resolve(answer).catch(() => {})
  throw new TypeError('a visibility rule must return true or false, and cannot wait')
}

function allowsStranger(rule: Sees, info: Ruled['info']): boolean {
  try {
    return ask(rule, info, undefined, UNKNOWN_CLIENT)
  } catch {
    return false
  }
}
