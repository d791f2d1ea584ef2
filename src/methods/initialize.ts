// initialize and ping: the handshake of the revisions that have sessions. The session itself is opened before.
// Spec 2025-11-25: basic/lifecycle and basic/utilities/ping.

import { META_SERVER, NoParams } from '../protocol/schemas/common.ts'
import { InitializeParams } from '../protocol/schemas/methods.ts'
import { capabilitiesOf } from './discover.ts'
import type { Method } from './method.ts'

export const initialize: Method = {
  params: InitializeParams,
  serve({ revision }, { catalog, instructions, serverMeta }) {
    return {
      result: {
        protocolVersion: revision.version,
        capabilities: capabilitiesOf(catalog),
        serverInfo: serverMeta[META_SERVER],
        ...(instructions === undefined ? {} : { instructions }),
      },
    }
  },
}

export const ping: Method = { params: NoParams, serve: () => ({ result: {} }) }
