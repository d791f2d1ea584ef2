// A whole server from settings, for programs.
export { buildServer } from '../../src/app.ts'
export {
  assertAccess,
  assertComposable,
  composeDoors,
  openStdio,
  openTelemetry,
  readAuthorizationServers,
} from '../../src/compose.ts'
export type { Runtime } from '../../src/runtime.ts'
export { Toolrack } from '../../src/toolrack.ts'
export { describeServer, describeStdio, toReport } from '../start-up/src/report.ts'
export { NOUNS } from '../start-up/src/rows.ts'
