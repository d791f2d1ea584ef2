// The fixture of the conformance suite as two processes that share a Redis of their own, behind a proxy.
import type { Serve } from '../../conformance/suite.ts'
import { freePort } from '../free-port.ts'
import { RedisServer } from '../servers/redis-server.ts'
import { startProxy } from './proxy.ts'
import { Replica } from './replica.ts'

/** As `serveReplicas`; it remembers whether one of them could not reach Redis in time, as on a busy machine. */
export function servingReplicas(): { serve: Serve; wasAlone(): boolean } {
  let served: readonly Replica[] = []
  return {
    serve: () => serveWith(replicas => (served = replicas)),
    wasAlone: () => served.some(({ lines }) => lines.some(line => line.includes('redis does not answer'))),
  }
}

export const serveReplicas: Serve = () => serveWith(() => {})

const serveWith = async (onMade: (replicas: readonly Replica[]) => unknown): ReturnType<Serve> => {
  const redis = new RedisServer(await freePort())
  const environment = { TASK_INLINE_MS: '0', DRAIN_MS: '1000', LOG_LEVEL: 'error' }
  const options = { redisUrl: redis.url, environment }
  const replicas = [new Replica(await freePort(), options), new Replica(await freePort(), options)]
  onMade(replicas)
  const close = async () => {
    await Promise.all(replicas.map(replica => replica.stop()))
    await redis.close()
  }
  try {
    await redis.start()
    await Promise.all(replicas.map(replica => replica.start()))
    const proxy = await startProxy(() => replicas.map(({ port }) => port))
    return { url: proxy.url, close: () => proxy.close().finally(close) }
  } catch (error) {
    await close()
    throw error
  }
}
