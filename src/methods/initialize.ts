// initialize, ping and logging/setLevel, of the revisions with sessions. The session is opened
// before. Spec 2025-11-25: basic/lifecycle, basic/utilities/ping and server/utilities/logging.
import { NoParams } from '../protocol/schemas/common.ts'
import { InitializeParams, SetLevelParams } from '../protocol/schemas/methods.ts'
import { requireSession } from '../request/required-session.ts'
import { getServerCapabilities } from './discover.ts'
import type { Method } from './method.ts'

export const initialize: Method<'catalog' | 'instructions' | 'serverInfo' | 'settings'> = {
  params: InitializeParams,
  serve({ revision }, { catalog, instructions, serverInfo, settings }) {
    return {
      result: {
        protocolVersion: revision.version,
        capabilities: getServerCapabilities({ catalog, settings }),
        serverInfo,
        ...(instructions === undefined ? {} : { instructions }),
      },
    }
  },
}

export const ping: Method<never> = { params: NoParams, serve: () => ({ result: {} }) }

/** Sets the lowest level of log messages that the session receives. */
export const setLevel: Method<never> = {
  params: SetLevelParams,
  isOffered: (_catalog, _params, { clientLogging }) => clientLogging,
  assertAllowed: requireSession,
  async serve(exchange) {
    const { level } = exchange.params as SetLevelParams
    await requireSession(exchange).setLogLevel(level)
    return { result: {} }
  },
}
