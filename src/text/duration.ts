// The format of times in settings and definitions.
import { parse } from '@lukeed/ms'

/** @param time ms, or a text such as `30 s`, `1 minute` or `500` @returns ms from 1 on; undefined if it is not a time */
export function readDuration(time: unknown): number | undefined {
  const ms = typeof time === 'string' ? parse(time.trim()) : time
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 1 ? ms : undefined
}
