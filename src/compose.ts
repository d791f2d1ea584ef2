// Turns settings into the parts that hang on seams, and is the only file of the core that names
// them. Each is imported when it is on, so that what is off costs nothing.
import type { LiveSettings } from './config/live-settings.ts'
import type { ResolvedOptions } from './config/options.ts'
import { assertInstalled } from './config/packages.ts'
import { assertEndpointPath, optionName, type Settings } from './config/settings.ts'
import type { BuiltInDoor } from './doors/built-in.ts'
import type { Door } from './doors/door.ts'
import { type DoorPlan, Doors } from './doors/doors.ts'
import { memory } from './state/memory/state.ts'
import { getBackends, type State } from './state/state.ts'

interface StateKind {
  /** Which setting has the location. */
  readonly setting: string
  /** Packages that the user installs for it. */
  readonly packages: readonly string[]
  /** @param location begins with the scheme */
  open(location: string, settings: Settings): Promise<State>
}

const REDIS: StateKind = {
  setting: 'REDIS_URL',
  packages: ['ioredis', 'bullmq'],
  async open(url, { redisPrefix: prefix }) {
    const { redis } = await import('../packages/redis/src/state.ts')
    return redis({ url, prefix })
  },
}

const SQLITE: StateKind = {
  setting: 'STATE',
  packages: [],
  async open(location) {
    const { sqlite } = await import('../packages/sqlite/src/state.ts')
    return sqlite({ path: location.slice('sqlite:'.length) })
  },
}

/** Where a state can be, by the scheme of its location. */
const STATES: Readonly<Record<string, StateKind>> = { 'redis:': REDIS, 'rediss:': REDIS, 'sqlite:': SQLITE }

/** The doors that ship, in the order of the start-up report. Their routes are imported when they are open. */
const DOORS: readonly (() => Promise<BuiltInDoor>)[] = [
  () => import('../packages/console/src/door.ts').then(({ CONSOLE }) => CONSOLE),
  () => import('../packages/plain-http/src/door.ts').then(({ PLAIN_HTTP }) => PLAIN_HTTP),
  () => import('../packages/http-sse/src/door.ts').then(({ HTTP_SSE }) => HTTP_SSE),
]

/**
 * The doors of a server: those that its settings open, and those of its program.
 *
 * @param displayName what the user calls a setting
 * @throws ConfigError if one has the path of the endpoint, or two have one name
 */
export async function composeDoors(
  plan: DoorPlan,
  given: readonly Door[] = [],
  displayName: (name: string) => string = optionName,
): Promise<Doors> {
  const { settings, isPlugin } = plan
  // Which of them converse is not known before they are open.
  const { converse } = given.length === 0 ? {} : await import('../packages/stdio/src/conversation.ts')
  const builtIn = await Promise.all(DOORS.map(open => open()))
  const doors = new Doors(builtIn, given, { settings, isPlugin, converse })
  assertEndpointPath(settings, displayName, plan, doors.paths)
  return doors
}

/** @returns undefined: in memory */
const findLocation = ({ redisUrl, state }: Settings): string | undefined =>
  state === 'memory' ? undefined : (state ?? redisUrl)

const findKind = (location: string): StateKind => STATES[new URL(location).protocol]!

/**
 * Checks that what the settings turn on is installed.
 *
 * @param displayName what the user calls a setting
 * @throws ConfigError
 */
export function assertComposable(settings: Settings, displayName: (name: string) => string = optionName): void {
  const location = findLocation(settings)
  if (location === undefined) return
  const { packages, setting } = findKind(location)
  assertInstalled(packages, displayName(setting))
}

/** Makes the state, which is not started yet. @throws ConfigError if its packages are missing */
export async function composeState({ settings, state, doubles }: ResolvedOptions): Promise<State> {
  if (state !== undefined) return state
  assertComposable(settings)
  const location = findLocation(settings)
  return location === undefined ? memory({ now: doubles?.timers?.now }) : findKind(location).open(location, settings)
}

/** The door of a program that starts the server. @param onEnd called once the program has left */
export async function openStdio(onEnd: (reason: string) => void): Promise<Door> {
  const { stdio } = await import('../packages/stdio/src/stdio.ts')
  return stdio({ onEnd })
}

/** @param args without the name of the program */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const { runCommandLine: run } = await import('../packages/cli/src/run.ts')
  return run(args)
}

/** Has connections of the state follow secrets that change while the server runs. */
export function followStateSecrets(liveSettings: LiveSettings, state: State): void {
  liveSettings.follow('REDIS_URL', url => {
    for (const backend of getBackends(state)) backend.setCredentials?.(url)
  })
}
