// `node test/processes/faults/loop.ts`: plays the scenario with a failure at each command to Redis in turn, until one run sees none.
import { createServer } from '../../../src/index.ts'
import { freePort } from '../../support/free-port.ts'
import { RedisServer } from '../../support/servers/redis-server.ts'
import { shedNoLoad } from '../../support/shed-no-load.ts'
import { look } from './client.ts'
import { faultTools } from './fault-tools.ts'
import { type Failure, Injector } from './injector.ts'
import { whenSo } from './rig.ts'
import { type Played, play } from './scenario.ts'

export interface Run {
  readonly at: number
  readonly hit: string
  readonly played: Played
  /** The first run behind it of which nothing was refused. */
  readonly after: Played
  /** When it had ended; undefined where none was. */
  readonly afterMs: number | undefined
}

export interface Looping {
  readonly url: string
  readonly injector: Injector
  /** Every which command fails. */
  readonly every?: number
  onRun?(run: Run): void
}

const isReady = async (url: string) => (await look(url, '/ready')).body.degraded === undefined

// Without a failure, until nothing is refused any more.
async function playWhole(url: string): Promise<Pick<Run, 'after' | 'afterMs'>> {
  let after: Played | undefined
  const afterMs = await whenSo(async () => {
    after = await play(url)
    return after.refused === 0
  })
  return { after: after!, afterMs }
}

/** @returns the runs that saw a failure */
export async function loop(failure: Failure, { url, injector, every = 1, onRun }: Looping): Promise<Run[]> {
  const runs: Run[] = []
  for (let at = 1; ; at += every) {
    if ((await whenSo(() => isReady(url))) === undefined) throw new Error('it does not get ready again')
    injector.arm(at, failure)
    const played = await play(url)
    injector.disarm()
    const { hit } = injector
    if (hit === undefined) return runs
    const run = { at, hit, played, ...(await playWhole(url)) }
    runs.push(run)
    onRun?.(run)
  }
}

async function main(): Promise<void> {
  const redis = new RedisServer(await freePort())
  await redis.start()
  const injector = new Injector()
  const settings = {
    redis: { url: redis.url },
    rateLimit: { max: 1_000_000 },
    tasks: { inlineMs: 0 },
    logLevel: 'fatal' as const,
  }
  const app = shedNoLoad(await createServer({ ...settings, trustProxy: '127.0.0.1' }))
  app.toolrack.add(faultTools(app))
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`
  process.on('unhandledRejection', reason => console.log('UNHANDLED', reason))
  for (const failure of ['error', 'lost answer', 'lost command'] as const) {
    const onRun = ({ at, hit, played, after, afterMs }: Run) =>
      console.log(
        `${failure} ${at} ${hit}: refused ${played.refused}, task ${played.task}, slowest ${played.slowestMs} ms` +
          ` | then whole in ${afterMs} ms, task ${after.task} ${[...played.wrong, ...after.wrong].join(' // ')}`,
      )
    const runs = await loop(failure, { url, injector, onRun, every: Number(process.argv[2] ?? 1) })
    console.log(`${failure}: ${runs.length} runs`)
  }
  injector.restore()
  await app.close()
  await redis.close()
}

if (import.meta.main) await main()
