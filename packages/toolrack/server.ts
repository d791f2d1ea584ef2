// A whole server from settings, for programs.
export { buildServer } from '../../src/app.ts'
export { assertComposable, composeDoors, openStdio } from '../../src/compose.ts'
export type { Runtime } from '../../src/runtime.ts'
export { describeServer, describeStdio } from '../../src/start-up.ts'
export { Toolrack } from '../../src/toolrack.ts'
