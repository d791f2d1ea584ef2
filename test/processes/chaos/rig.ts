// Two replicas that write a ledger, their Redis, and the proxy before them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { startProxy } from '../../support/replicas/proxy.ts'
import { Replica } from '../../support/replicas/replica.ts'
import { RedisServer } from '../../support/servers/redis-server.ts'
import { note } from './ledger.ts'

export interface Rig {
  readonly redis: RedisServer
  readonly replicas: readonly [Replica, Replica]
  readonly proxy: Awaited<ReturnType<typeof startProxy>>
  readonly ledger: string
  /** Kills a replica, and writes down that its runs have ended. */
  kill(replica: Replica): Promise<void>
  close(): Promise<void>
}

const program = new URL('chaos-replica.ts', import.meta.url).pathname

export async function startRig(environment: Readonly<Record<string, string>> = {}): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-chaos-'))
  const ledger = join(folder, 'ledger')
  writeFileSync(ledger, '')
  // With everysec a write may wait for two seconds before the kernel has it, and be lost with the process.
  const redis = new RedisServer(await freePort(), { isDurable: true, options: ['--appendfsync', 'always'] })
  await redis.start()
  const options = {
    redisUrl: redis.url,
    program,
    environment: {
      LEDGER: ledger,
      LOG_LEVEL: 'error',
      RATE_LIMIT_MAX: '1000000000',
      TASK_INLINE_MS: '0',
      ...environment,
    },
  }
  const replicas = [new Replica(await freePort(), options), new Replica(await freePort(), options)] as const
  const proxy = await startProxy(() => replicas.map(({ port }) => port))
  const close = async () => {
    await proxy.close()
    await Promise.all(replicas.map(replica => replica.kill()))
    await redis.close()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(replicas.map(replica => replica.start()))
  } catch (error) {
    await close()
    throw error
  }
  return {
    redis,
    replicas,
    proxy,
    ledger,
    async kill(replica) {
      const { pid } = replica
      await replica.kill()
      if (pid !== undefined) note(ledger, { what: 'killed', pid })
    },
    close,
  }
}
