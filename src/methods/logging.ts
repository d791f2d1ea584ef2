// logging/setLevel: how much of what tools log a session wants to see. Spec 2025-11-25: server/utilities/logging.
import { SetLevelParams } from '../protocol/schemas/methods.ts'
import { type Method, sessionOf } from './method.ts'

export const setLevel: Method = {
  params: SetLevelParams,
  async serve(exchange) {
    const { level } = exchange.params as SetLevelParams
    await sessionOf(exchange).setLogLevel(level)
    return { result: {} }
  },
}
