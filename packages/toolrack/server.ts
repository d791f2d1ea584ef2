// A whole server from settings, for programs.
export { buildServer } from '../../src/app.ts'
export { assertAccess, assertComposable, composeDoors, openStdio, readAuthorizationServers } from '../../src/compose.ts'
export { describeServer, describeStdio } from '../../src/start-up.ts'
export { Toolrack } from '../../src/toolrack.ts'
