// npm run bench:replicas: what Redis costs a call compared with memory mode, and how soon many
// listeners of two replicas receive a change on one. Fails past the bounds below.
//   npm run bench:replicas -- --seconds=5 --rounds=3 --listeners=10000
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { Redis } from 'ioredis'
import { freePort } from '../test/support/free-port.ts'
import { RedisServer } from '../test/support/servers/redis-server.ts'
import { median } from './figures.ts'
import { openListeners } from './listeners.ts'
import { modernCall } from './modern-call.ts'
import { cpuUs, pin, type Started, start, stop } from './processes.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    listeners: { type: 'string', default: '10000' },
  },
})
const [seconds, rounds, count] = [Number(values.seconds), Number(values.rounds), Number(values.listeners)]

const MAX_RATIO = 1.6
const MAX_TOLD_MS = 2000

const COUNTED = 1000
const CHANGES = 5
/** Commands that replicas send to Redis even without calls. */
const BACKGROUND = /:(?:heartbeat|bus:\w+|versions|queue:\S+)\b/
const LIMITER = /:limit:requests:/

const CALL = modernCall('tools/call', { name: 'echo', arguments: { message: 'hello 1000001' } })
const LISTEN = modernCall('subscriptions/listen', { notifications: { toolsListChanged: true } })

let isPast = false

function report(what: string, figure: string, { bound, isWithin }: { bound: string; isWithin: boolean }): void {
  if (!isWithin) isPast = true
  console.log(`| ${what} | ${figure} | ${bound} | ${isWithin ? 'within' : 'PAST'} |`)
}

const tell = (what: string, figure: string) => console.log(`| ${what} | ${figure} | | |`)

async function withAll<T>(starting: readonly Promise<Started>[], run: (servers: Started[]) => Promise<T>): Promise<T> {
  const servers = await Promise.all(starting)
  try {
    return await run(servers)
  } finally {
    await Promise.all(servers.map(stop))
  }
}

const replica = (env: Record<string, string>) => start('./replica-server.ts', [], env)

/** @returns CPU time of the server per call, µs */
function costOf(env: Record<string, string>): Promise<number> {
  return withAll([replica(env)], async ([server]) => {
    const { child, url } = server!
    pin(child.pid!, 0)
    const options = { url: `${url}/mcp`, method: 'POST' as const, connections: 64, ...CALL }
    await autocannon({ ...options, duration: 2 })
    const before = cpuUs(child)
    const { non2xx, errors, requests } = await autocannon({ ...options, duration: seconds })
    if (non2xx + errors > 0) throw new Error(`${non2xx} refused, ${errors} failed`)
    return (cpuUs(child) - before) / requests.total
  })
}

async function compareCost(redis: Record<string, string>): Promise<void> {
  const pairs: { memory: number; shared: number }[] = []
  for (let round = 0; round < rounds; round++) pairs.push({ memory: await costOf({}), shared: await costOf(redis) })
  const ratio = median(pairs.map(({ memory, shared }) => shared / memory))
  tell('CPU of a tools/call in memory mode', `${median(pairs.map(({ memory }) => memory)).toFixed(1)} µs`)
  tell('CPU of a tools/call with Redis', `${median(pairs.map(({ shared }) => shared)).toFixed(1)} µs`)
  report('ratio', `${ratio.toFixed(2)} ×`, { bound: `≤ ${MAX_RATIO} ×`, isWithin: ratio <= MAX_RATIO })
}

/** Counts commands while calls come one after another, so that no two share a round trip. */
async function countTrips(url: string): Promise<void> {
  await withAll([replica({ REDIS_URL: url })], async ([server]) => {
    const call = async () => (await fetch(`${server!.url}/mcp`, { method: 'POST', ...CALL })).text()
    await call()
    const operator = new Redis(url)
    const monitor = await operator.monitor()
    const seen: string[] = []
    // Commands within a script are not round trips.
    monitor.on('monitor', (_time, args: string[], source: string) => source !== 'lua' && seen.push(args.join(' ')))
    for (let number = 0; number < COUNTED; number++) await call()
    await sleep(100)
    monitor.disconnect()
    operator.disconnect()
    const ours = seen.filter(command => !BACKGROUND.test(command))
    const trips = ours.filter(command => LIMITER.test(command)).length
    report('round trips of a tools/call: the limiter', String(trips / COUNTED), {
      bound: '= 1',
      isWithin: trips === COUNTED,
    })
    report('round trips of a tools/call: others', String((ours.length - trips) / COUNTED), {
      bound: '= 0',
      isWithin: ours.length === trips,
    })
    for (const other of new Set(ours.filter(command => !LIMITER.test(command)))) console.error(other.slice(0, 200))
  })
}

// Each listener costs its proxy two file descriptors, so there are two proxies.
async function fanOut(redis: Record<string, string>): Promise<void> {
  await withAll([replica(redis), replica(redis)], async servers => {
    const ports = servers.map(({ url }) => new URL(url).port)
    const proxy = () => start('./replica-proxy.ts', ports)
    await withAll([proxy(), proxy()], async proxies => {
      const startMs = performance.now()
      const urls = proxies.map(({ url }) => url)
      const listeners = await openListeners(urls, count, LISTEN)
      tell(`opening ${count} listeners`, `${((performance.now() - startMs) / 1000).toFixed(1)} s`)
      const times: number[] = []
      for (let change = 0; change < CHANGES; change++) {
        const changedMs = performance.now()
        const before = listeners.map(({ told }) => told)
        servers[change % 2]!.child.send('change')
        const isTold = () => listeners.every(({ told }, index) => told > before[index]!)
        while (!isTold() && performance.now() < changedMs + 3 * MAX_TOLD_MS) await sleep(20)
        await sleep(1000)
        times.push(isTold() ? Math.max(...listeners.map(({ atMs }) => atMs)) - changedMs : Number.POSITIVE_INFINITY)
      }
      const isHeld = listeners.filter(({ socket }) => !socket.destroyed && !socket.readableEnded).length
      report('listeners held to the end', String(isHeld), { bound: `= ${count}`, isWithin: isHeld === count })
      const told = listeners.filter(listener => listener.told >= CHANGES).length
      report(`listeners told of all of ${CHANGES} changes`, String(told), {
        bound: `= ${count}`,
        isWithin: told === count,
      })
      const longest = Math.max(...times)
      tell('until the last was told, each time', `${times.map(ms => ms.toFixed(0)).join(', ')} ms`)
      report('until the last was told, longest', `${longest.toFixed(0)} ms`, {
        bound: `≤ ${MAX_TOLD_MS} ms`,
        isWithin: longest <= MAX_TOLD_MS,
      })
      for (const { socket } of listeners) socket.destroy()
    })
  })
}

const redis = new RedisServer(await freePort())
try {
  await redis.start()
  pin(process.pid, 1)
  console.log('| what | figure | bound | |\n| --- | ---: | ---: | --- |')
  await compareCost({ REDIS_URL: redis.url })
  await countTrips(redis.url)
  pin(process.pid, '0,1')
  await fanOut({ REDIS_URL: redis.url })
} finally {
  await redis.close()
}
process.exitCode = isPast ? 1 : 0
