// The doors of one server: open ones, and those that a setting would open. The rest of the server asks
// here for their paths, words and rows, and knows no door by name.
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
  /** For doors of the program; those that ship do not converse. */
  readonly converse?: Converse | undefined
}

export class Doors {
  readonly open: readonly (Door | BuiltInDoor)[]
  readonly #builtIn: readonly BuiltInDoor[]
  readonly #given: readonly Door[]
  readonly #plan: DoorPlan

  /** @param given the doors of the program @throws ConfigError if two have the same name */
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

  /** @throws if the program has no doors */
  converse(parts: ConversationParts): Conversation {
    return this.#plan.converse!(parts)
  }

  /** The paths of open doors. */
  get paths(): readonly string[] {
    return this.open.flatMap(({ paths = [] }) => paths)
  }

  /** The paths of open doors that clients know as separate resources. */
  get resources(): readonly string[] {
    return this.open.flatMap(({ resources = [] }) => resources)
  }

  /** The rows of the start-up report. @param base the server's URL, without a slash at its end */
  describe(base: string): readonly StartUpRow[] {
    const builtIn = this.#builtIn.flatMap(door => (this.#isOpen(door) ? door.describe(base) : door.describeClosed()))
    return [...builtIn, ...this.#given.flatMap(door => door.describe?.(base) ?? [describeOpen(door)])]
  }

  /** Says which setting opens the closed door at a path. */
  explainClosed(path: string): string | undefined {
    const door = this.#builtIn.find(({ paths = [] }) => hasPath(paths, path))
    if (door?.isExplained !== true || this.#isOpen(door)) return undefined
    return `${door.title} is off; ${door.setting}=true turns it on`
  }

  /** An error at a path without a route, in the form of the door to which the path belongs. */
  toErrorAnswer(error: McpError, path: string, requestId: string): Answer {
    const door = [...this.#builtIn, ...this.#given].find(({ paths = [] }) => hasPath(paths, path))
    return writeError(door, error, requestId)
  }

  /** The page of the server for browsers. @throws if no door has one */
  renderPage(request: FastifyRequest, facts: ServerFacts): Promise<BrowserPage> {
    return this.#builtIn.find(door => door.renderPage !== undefined)!.renderPage!(request, facts)
  }

  /** The door whose page has sent a request to the endpoint. */
  findSender(headers: Headers): string | undefined {
    return this.open.find(door => attempt(() => door.hasSent?.(headers)))?.name
  }

  /** @throws ConfigError naming the setting of a door that anybody who reaches the host could use */
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

/** An error in the form of a door; without a door, in that of JSON-RPC. */
export function writeError(door: Pick<Door, 'toErrorAnswer'> | undefined, error: unknown, requestId: string): Answer {
  const known = error instanceof McpError ? error : new McpError('INTERNAL_ERROR')
  return attempt(() => door?.toErrorAnswer?.(known, requestId)) ?? createErrorAnswer(known, undefined)
}

/** Returns undefined if a door throws: neither the answer nor the record may fail because of it. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

const describeOpen = ({ name }: Door): StartUpRow => ({ name, on: 'open', shown: { noun: 'On', text: name } })
