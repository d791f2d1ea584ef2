// How far a task is, as its status message says. The extension has no member for it; Toolrack writes `Counting 6 (6 of 14)`.
import type { JsonObject } from '../client/json-rpc.ts'

const NUMBER = '(-?\\d+(?:\\.\\d+)?)'
const BARE = new RegExp(`^${NUMBER}(?: of ${NUMBER})?$`)
const WITH_MESSAGE = new RegExp(`^(.*) \\(${NUMBER}(?: of ${NUMBER})?\\)$`, 's')

/** @returns what a progress notification would have; undefined if the message says something else */
export function readProgress(statusMessage: unknown): JsonObject | undefined {
  if (typeof statusMessage !== 'string') return undefined
  const bare = BARE.exec(statusMessage)
  const [, message, progress, total] =
    bare === null ? (WITH_MESSAGE.exec(statusMessage) ?? []) : ['', undefined, ...bare.slice(1)]
  if (progress === undefined) return undefined
  return {
    progress: Number(progress),
    ...(total !== undefined && { total: Number(total) }),
    ...(message !== undefined && { message }),
  }
}
