// How far a task is. The extension has no member for it; Toolrack puts what a progress notification has into `_meta`.
import { isObject, type JsonObject } from '../client/json-rpc.ts'

const META_PROGRESS = 'toolrack/progress'

/** @param task as `tasks/get` and the notifications of tasks describe it */
export function readProgress({ _meta }: JsonObject): JsonObject | undefined {
  const progress = isObject(_meta) ? _meta[META_PROGRESS] : undefined
  return isObject(progress) && typeof progress['progress'] === 'number' ? progress : undefined
}
