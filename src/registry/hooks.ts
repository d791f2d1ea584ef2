// Rules of the program and of the tools folders for every tool: `onCall` runs around each call,
// `visible` decides which tools a caller sees and may call.
import { countJsonBytes } from '../protocol/json.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'
import type { Caller, Log } from '../request/exchange.ts'
import { LogThrottle } from '../request/log-throttle.ts'
import type { AbsentTool } from '../state/task.ts'
import type { ToolCaller, ToolContext } from './handler-context.ts'
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
// biome-ignore lint/suspicious/noExplicitAny: arguments differ by tool
export type Next<Arguments = any> = (args?: Arguments) => Promise<unknown>

/** Returns what the call returns: usually that of `next`. What it throws is the tool's error. */
// biome-ignore lint/suspicious/noExplicitAny: arguments differ by tool
export type OnCall<Arguments = any> = (call: ToolCall<Arguments>, next: Next<Arguments>) => unknown

/** The client of a request, as rules see it. */
export interface ToolClient {
  /** What it has declared, such as `elicitation`; empty if it has not said, as before a request. */
  readonly capabilities: Readonly<ClientCapabilities>
}

/** Where nobody has said anything yet. */
export const UNKNOWN_CLIENT: ToolClient = Object.freeze({ capabilities: Object.freeze({}) })

/** Whether a caller sees a tool and may call it. It cannot wait: lists are written at once. */
export type Visible = (tool: ToolInfo, caller: Caller | undefined, client: ToolClient) => boolean

export interface ToolHooks {
  readonly onCall?: OnCall | undefined
  readonly visible?: Visible | undefined
}

interface RuledTool {
  readonly info: ToolInfo
  readonly visible: Visible | undefined
}

/** Largest `ToolInfo` that a task keeps, bytes of JSON. */
const MAX_INFO_BYTES = 16 * 1024

/** Where the hooks of one tools folder are put. */
export interface FolderHooks {
  /**
   * Replaces the hooks of the folder.
   *
   * @param hooks undefined if it has some that have never loaded
   * @returns whether tools may have become visible or hidden
   */
  set(hooks: ToolHooks | undefined): boolean
}

interface FolderSlot {
  hooks: ToolHooks | undefined
  readonly onCall: OnCall
}

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
  #onCall: readonly OnCall[] = []
  #visible: readonly Visible[] = []

  constructor(program: ToolHooks, options: HooksOptions) {
    this.#program = program
    this.#options = options
    this.#collect()
  }

  /** The hooks around every call, the outermost first. */
  get onCall(): readonly OnCall[] {
    return this.#onCall
  }

  /** Adds a tools folder, whose hooks run within those of the folders before it. */
  addFolder(): FolderHooks {
    const slot: FolderSlot = {
      hooks: {},
      // A call that comes to it after a reload gets the new hook: what the old one uses may be
      // closed.
      onCall: (call, next) => {
        const onCall = slot.hooks?.onCall
        return onCall === undefined ? next() : onCall(call, next)
      },
    }
    this.#folders.push(slot)
    return {
      set: hooks => {
        slot.hooks = hooks
        return this.#collect()
      },
    }
  }

  /** @returns whether tools may have become visible or hidden */
  #collect(): boolean {
    const before = this.#visible
    const ofFolders = this.#folders.map(({ hooks, onCall }) => hooks?.onCall && onCall)
    this.#onCall = [this.#program.onCall, ...ofFolders].filter(hook => hook !== undefined)
    const rules = [this.#program, ...this.#folders.map(({ hooks }) => hooks)].map(hooks => hooks?.visible)
    this.#visible = rules.filter(rule => rule !== undefined)
    return before.length !== this.#visible.length || before.some((rule, index) => rule !== this.#visible[index])
  }

  /** Whether a folder has hooks that have never loaded. */
  get #areIncomplete(): boolean {
    return this.#folders.some(({ hooks }) => hooks === undefined)
  }

  hides(tools: readonly RuledTool[]): boolean {
    return this.#visible.length > 0 || tools.some(({ visible }) => visible !== undefined)
  }

  /** A rule that fails hides the tool. */
  isVisible(tool: RuledTool, caller: Caller | undefined, client: ToolClient): boolean {
    const isAllowed = this.#visible.every(rule => this.#asks(rule, tool, caller, client))
    return isAllowed && (tool.visible === undefined || this.#asks(tool.visible, tool, caller, client))
  }

  /**
   * Whether strangers may learn of the tool: what is told before there is a token. A rule that
   * needs a caller may fail here; that is no fault, and anybody could fill the log with it.
   */
  isPublic({ info, visible }: RuledTool): boolean {
    return this.#visible.every(rule => allowsStranger(rule, info)) && (!visible || allowsStranger(visible, info))
  }

  /** What a task of the tool keeps for `isAbsentVisible`; undefined if there is no rule. */
  describeAbsent({ info, visible }: RuledTool): AbsentTool | undefined {
    const hasOwnRule = visible !== undefined
    if (!hasOwnRule && this.#visible.length === 0) return undefined
    // The tool's own rule goes with it, so nothing will be asked.
    return { hasOwnRule, info: hasOwnRule || countJsonBytes(info) > MAX_INFO_BYTES ? undefined : info }
  }

  /** Whether a caller may see the tasks of a tool that is not served. What no rule can tell is hidden. */
  isAbsentVisible(absent: AbsentTool | undefined, caller: Caller | undefined, client: ToolClient): boolean {
    if (absent?.hasOwnRule || this.#areIncomplete) return false
    if (this.#visible.length === 0) return true
    if (absent?.info === undefined) return false
    return this.isVisible({ info: absent.info as ToolInfo, visible: undefined }, caller, client)
  }

  #asks(rule: Visible, { info }: RuledTool, caller: Caller | undefined, client: ToolClient): boolean {
    try {
      return ask(rule, info, caller, client)
    } catch (thrown) {
      this.#report(info.name, thrown)
      return false
    }
  }

  #report(tool: string, thrown: unknown): void {
    const { log, explain } = this.#options
    const before = this.#throttle.count(tool)
    if (before === undefined) return
    const repeated = before > 0 && { before }
    log.error({ tool, reason: explain(thrown), ...repeated }, 'tool hidden, since its visibility rule failed')
  }
}

/** @throws what the rule throws; TypeError if it answers neither true nor false */
function ask(rule: Visible, tool: ToolInfo, caller: Caller | undefined, { capabilities }: ToolClient): boolean {
  // An exchange has more, such as the headers with the caller's token.
  const answer: unknown = rule(tool, caller, { capabilities })
  if (typeof answer === 'boolean') return answer
  // Its rejection would end the process.
  Promise.resolve(answer).catch(() => {})
  throw new TypeError('visible must return true or false, and cannot wait')
}

function allowsStranger(rule: Visible, tool: ToolInfo): boolean {
  try {
    return ask(rule, tool, undefined, UNKNOWN_CLIENT)
  } catch {
    return false
  }
}
