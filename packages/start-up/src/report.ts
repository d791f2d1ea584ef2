// The start-up report of a server: its address, who may call, what it serves, and which parts are off.

import type { StartUpReport, StartUpRow } from 'toolrack/records'
import type { Runtime } from 'toolrack/server'
import { describeStartUp } from './rows.ts'

/** @param port on which it listens; default: the port of the settings */
export function describeServer(runtime: Runtime, port?: number): readonly StartUpRow[] {
  const { settings, isPlugin, serverInfo, audit, catalog, tracing, toolsDir, sources, state, doors, ways } = runtime
  return describeStartUp(port === undefined ? settings : { ...settings, port }, catalog, {
    serverInfo,
    isPlugin,
    describeDoors: base => doors.describe(base),
    state,
    ways,
    isTraced: tracing !== undefined,
    isAudited: audit.isOn,
    toolsDir,
    problems: sources.problems,
  })
}

/** Rows of the report about HTTP, without those of doors. */
const OF_HTTP: readonly string[] = ['endpoint', 'page', 'access', 'metrics']

/** The same for a server on stdin and stdout. */
export function describeStdio(runtime: Runtime): readonly StartUpRow[] {
  const ofDoors = runtime.doors.describe('').map(({ name }) => name)
  const rows = describeServer(runtime).filter(({ name }) => ![...OF_HTTP, ...ofDoors].includes(name))
  return [{ name: 'endpoint', on: 'stdin and stdout' }, ...rows]
}

/** The rows as fields of one log line. */
export const toReport = (rows: readonly StartUpRow[]): StartUpReport =>
  Object.fromEntries(rows.map(({ name, on = 'off', hint }) => [name, hint === undefined ? on : `${on}; ${hint}`]))

export const reportStart = (runtime: Runtime): StartUpReport => toReport(describeServer(runtime))
