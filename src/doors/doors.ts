// The doors of one server: those that are open, and those that a setting would open. The rest of the
// server asks here for their paths, words and rows, and knows no door by name.
import type { FastifyRequest } from 'fastify'
import { hasAccessControl, nameAccessSettings } from '../config/access.ts'
import { isLoopback } from '../config/addresses.ts'
import { hasPath } from '../config/doors.ts'
import { ConfigError, type Settings } from '../config/settings.ts'
import type { StartUpRow } from '../observability/start-up.ts'
import { McpError } from '../protocol/errors.ts'
import type { Headers } from '../protocol/headers.ts'
import { type Answer, createErrorAnswer } from '../request/answer.ts'
import type { BrowserPage, BuiltInDoor, ServerFacts } from './built-in.ts'
import type { Conversation, ConversationParts, Converse } from './converse.ts'
import type { Door } from './door.ts'

export interface DoorPlan {
  readonly settings: Settings
  readonly isPlugin: boolean
  /** Of doors of the program; those that ship do not converse. */
  readonly converse?: Converse | undefined
}

export class Doors {
  readonly open: readonly (Door | BuiltInDoor)[]
  readonly #builtIn: readonly BuiltInDoor[]
  readonly #given: readonly Door[]
  readonly #plan: DoorPlan

  /** @param given those of the program @throws ConfigError if two have one name */
  constructor(builtIn: readonly BuiltInDoor[], given: readonly Door[], plan: DoorPlan) {
    const names = [...builtIn, ...given].map(({ name }) => name)
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    if (twice !== undefined) throw new ConfigError(`doors: expected one door of the name ${twice}`)
    this.#builtIn = builtIn
    this.#given = given
    this.#plan = plan
    this.open = [...builtIn.filter(door => this.#isOpen(door)), ...given]
  }

  isOpen(name: string): boolean {
    return this.open.some(door => door.name === name)
  }

  /** @throws if only doors that ship are open */
  converse(parts: ConversationParts): Conversation {
    return this.#plan.converse!(parts)
  }

  /** Of those that are open. */
  get paths(): readonly string[] {
    return this.open.flatMap(({ paths = [] }) => paths)
  }

  /** Paths of theirs that clients know as resources of their own. */
  get resources(): readonly string[] {
    return this.open.flatMap(({ resources = [] }) => resources)
  }

  /** The rows of the start-up report. @param base the server's URL, without a slash at its end */
  describe(base: string): readonly StartUpRow[] {
    const builtIn = this.#builtIn.flatMap(door => (this.#isOpen(door) ? door.describe(base) : door.describeClosed()))
    return [...builtIn, ...this.#given.flatMap(door => door.describe?.(base) ?? [describeOpen(door)])]
  }

  /** What to set, for the answer at a path of a door that is closed. */
  explainClosed(path: string): string | undefined {
    const door = this.#builtIn.find(({ paths = [] }) => hasPath(paths, path))
    if (door?.isExplained !== true || this.#isOpen(door)) return undefined
    return `${door.title} is off; ${door.setting}=true turns it on`
  }

  /** An error at a path that no route takes, as the door writes errors that the path belongs to. */
  toErrorAnswer(error: McpError, path: string, requestId: string): Answer {
    const door = [...this.#builtIn, ...this.#given].find(({ paths = [] }) => hasPath(paths, path))
    return writeError(door, error, requestId)
  }

  /** The page of the server for browsers. @throws if no door has one */
  renderPage(request: FastifyRequest, facts: ServerFacts): Promise<BrowserPage> {
    return this.#builtIn.find(door => door.renderPage !== undefined)!.renderPage!(request, facts)
  }

  /** The door whose page has sent a request of the endpoint. */
  findSender(headers: Headers): string | undefined {
    return this.open.find(door => attempt(() => door.hasSent?.(headers)))?.name
  }

  /** @throws ConfigError naming the setting of a door that would be open to everyone who reaches the host */
  assertGuarded(host: string, displayName = (name: string): string => name): void {
    const { settings } = this.#plan
    if (isLoopback(host) || hasAccessControl(settings)) return
    const door = this.#builtIn.find(each => each.needsAccessControl?.(settings))
    if (door === undefined) return
    throw new ConfigError(
      `${displayName(door.setting)}: ${host} is not loopback, so ${door.title} needs access control; set ${nameAccessSettings(displayName)}`,
    )
  }

  #isOpen(door: BuiltInDoor): boolean {
    const { settings, isPlugin } = this.#plan
    return door.isOpen(settings, { isPlugin })
  }
}

/** An error in the form of a door, else of JSON-RPC. */
export function writeError(door: Pick<Door, 'toErrorAnswer'> | undefined, error: unknown, requestId: string): Answer {
  const known = error instanceof McpError ? error : new McpError('INTERNAL_ERROR')
  return attempt(() => door?.toErrorAnswer?.(known, requestId)) ?? createErrorAnswer(known, undefined)
}

/** A fault of a door costs neither the answer nor the record that it is asked for. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

const describeOpen = ({ name }: Door): StartUpRow => ({ name, on: 'open', shown: { noun: 'On', text: name } })
