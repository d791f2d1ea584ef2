// What `toolrack/redis` exports: a state that the replicas of a server share. It needs the packages
// ioredis and bullmq.
export { type RedisStateOptions, redis } from '../redis/src/state.ts'
