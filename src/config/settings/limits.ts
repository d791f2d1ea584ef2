// How much a client may ask, and how much runs at once.
import { optional, type SettingRows, setting } from '../setting-row.ts'
import { duration, integer, nonEmptyText } from '../setting-types.ts'

export const LIMITS = {
  RATE_LIMIT_MAX: setting({
    option: 'rateLimit.max',
    type: integer(1, Number.MAX_SAFE_INTEGER),
    fallback: 600,
    meaning: 'Requests per [client](limits.md) in one window.',
  }),
  RATE_LIMIT_WINDOW: setting({
    option: 'rateLimit.timeWindow',
    type: duration,
    fallback: 60_000,
    meaning: 'The window of `RATE_LIMIT_MAX`.',
  }),
  RATE_LIMIT_CLAIM: optional({
    option: 'rateLimit.claim',
    type: nonEmptyText,
    meaning:
      'Callers with the same value of this claim share one rate, also that of a tool ([tenants.md](../guides/tenants.md)).',
  }),
  MAX_CONCURRENT_CALLS: setting({
    option: 'limits.maxConcurrentCalls',
    type: integer(1, 1_000_000),
    fallback: 256,
    meaning: 'Calls that run at once, per process.',
  }),
  MAX_QUEUED_CALLS: setting({
    option: 'limits.maxQueuedCalls',
    type: integer(0, 1_000_000),
    fallback: 1024,
    meaning: 'Calls that wait for a slot, per process.',
  }),
  MAX_BODY_BYTES: setting({
    option: 'limits.maxBodyBytes',
    type: integer(1024, 2 ** 30),
    fallback: 1024 * 1024,
    meaning: 'The size of a request.',
  }),
  MAX_RESULT_BYTES: setting({
    option: 'limits.maxResultBytes',
    type: integer(1024, 2 ** 29),
    fallback: 4 * 1024 * 1024,
    meaning: 'The size of a result.',
  }),
} as const satisfies SettingRows
