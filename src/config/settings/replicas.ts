// Settings of the state that replicas share.
import { optional, type SettingRows, setting } from '../setting-row.ts'
import { keyPrefix, redisUrl, secret, stateLocation } from '../setting-types.ts'

export const REPLICAS = {
  STATE: optional({
    option: 'state',
    type: stateLocation,
    byDefault: '`memory`',
    meaning:
      '`sqlite:./toolrack.db` keeps sessions, tasks and results in a file, so that they outlive the process ([sqlite.md](../guides/sqlite.md)).',
  }),
  REDIS_URL: optional({
    option: 'redis.url',
    type: redisUrl,
    isSecret: true,
    meaning:
      'Replicas share sessions, limits and tasks in this Redis, by `ioredis` and `bullmq` ([replicas.md](../guides/replicas.md)).',
  }),
  REDIS_PREFIX: setting({
    option: 'redis.prefix',
    type: keyPrefix,
    fallback: 'toolrack',
    meaning: 'How every key in Redis begins.',
  }),
  STATE_SECRET: optional({
    option: 'stateSecret',
    type: secret(32),
    isSecret: true,
    byDefault: 'random; with Redis, shared',
    meaning:
      'Seals `requestState` and cursors; without Redis also the ids of sessions, which then outlive a restart ([replicas.md](../guides/replicas.md#without-redis)).',
  }),
  STATE_SECRET_PREVIOUS: optional({
    option: 'stateSecretPrevious',
    type: secret(32),
    isSecret: true,
    meaning: 'The former secret: it still opens what it sealed ([rotation](../guides/replicas.md#secrets)).',
  }),
} as const satisfies SettingRows
