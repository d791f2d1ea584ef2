// The doors of one server: those that are open, and those that a setting would open. The rest of the
// server asks here for their paths, words and rows, and knows no door by name.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasAccessControl, nameAccessSettings } from '../config/access.ts'
import { isLoopback } from '../config/addresses.ts'
import { type HostKind, hasPath } from '../config/doors.ts'
import { ConfigError, type Settings } from '../config/settings.ts'
import type { StartUpRow } from '../observability/start-up.ts'
import type { McpError } from '../protocol/errors.ts'
import type { Headers } from '../protocol/headers.ts'
import { type Answer, createErrorAnswer } from '../request/answer.ts'
import type { Door } from './door.ts'

/** A door that ships with the server: a setting opens it. */
export interface BuiltInDoor extends Door {
  /** Its variable, such as `CONSOLE`. */
  readonly setting: string
  /** In words, such as `the console`. */
  readonly title: string
  isOpen(settings: Settings, hostKind: HostKind): boolean
  /** Whether answers at its paths say how to open it. */
  readonly isExplained?: boolean
  /** Whether only callers who are known may come from other machines. */
  needsAccessControl?(settings: Settings): boolean
  describe(base: string): readonly StartUpRow[]
  /** Its rows of the start-up report while it is closed. */
  describeClosed(): readonly StartUpRow[]
  /**
   * Answers browsers at the endpoint, also while the door is closed.
   *
   * @param context holds what doors that ship get of the server
   */
  servePage?(request: FastifyRequest, reply: FastifyReply, context: object): Promise<FastifyReply>
}

export interface DoorPlan {
  readonly settings: Settings
  readonly isPlugin: boolean
}

export class Doors {
  readonly open: readonly Door[]
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
    return attempt(() => door?.toErrorAnswer?.(error, requestId)) ?? createErrorAnswer(error, undefined)
  }

  /** Sends browsers the page of the server. @throws if no door has one */
  servePage(request: FastifyRequest, reply: FastifyReply, context: object): Promise<FastifyReply> {
    return this.#builtIn.find(door => door.servePage !== undefined)!.servePage!(request, reply, context)
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

/** A fault of a door costs neither the answer nor the record that it is asked for. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

const describeOpen = ({ name }: Door): StartUpRow => ({ name, on: 'open', shown: { noun: 'On', text: name } })
