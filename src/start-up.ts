// The start-up report of a server: where it is, who may call, what it serves, and what is off.
import { describeStartUp, type StartUpRow } from './observability/banner.ts'
import type { Runtime } from './runtime.ts'

/** @param port where it listens; default: that of the settings */
export function describeServer(runtime: Runtime, port?: number): readonly StartUpRow[] {
  const { settings, isPlugin, serverInfo, audit, catalog, tracing, folders, sources, state, doors, issuers, ways } =
    runtime
  return describeStartUp(port === undefined ? settings : { ...settings, port }, catalog, {
    serverInfo,
    isPlugin,
    describeDoors: base => doors.describe(base),
    state,
    issuers,
    ways,
    isTraced: tracing !== undefined,
    isAudited: audit.isOn,
    toolsDir: folders === undefined ? undefined : settings.toolsDir,
    problems: sources.problems,
  })
}

/** Rows of the report that are about HTTP, beside those of doors. */
const OF_HTTP: readonly string[] = ['endpoint', 'page', 'access', 'metrics']

/** The same of a server on stdin and stdout. */
export function describeStdio(runtime: Runtime): readonly StartUpRow[] {
  const ofDoors = runtime.doors.describe('').map(({ name }) => name)
  const rows = describeServer(runtime).filter(({ name }) => ![...OF_HTTP, ...ofDoors].includes(name))
  return [{ name: 'endpoint', on: 'stdin and stdout' }, ...rows]
}
