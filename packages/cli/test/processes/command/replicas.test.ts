// `npm run replicas`: what it prints is run, and it ends with all that it started.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { freePort } from '../../../../../test/support/free-port.ts'
import { until } from '../../../../../test/support/replicas/pair.ts'
import { NO_REDIS, redisServer } from '../../../../../test/support/servers/redis-server.ts'

const run = promisify(execFile)

async function start(t: Test, environment: Record<string, string> = {}) {
  const port = await freePort()
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    PORT: String(port),
    ...environment,
  }
  const child = spawn(process.execPath, ['scripts/replicas.ts'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGTERM'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', chunk => (output += chunk))
  await until(() => /^curl .*\n/m.test(output) || child.exitCode !== null, 'the curl line', 120_000)
  const ports = /ports (\d+) and (\d+)/.exec(output)!.slice(1)
  return { child, output, port, ports, curl: /^curl .*$/m.exec(output)![0] }
}

const isThere = (port: string | number) =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  )

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`replicas: both answer by the one URL, and end on ${signal}`, { skip: NO_REDIS }, async t => {
    const { child, output, port, ports, curl } = await start(t)
    const redisPort = /its own, on port (\d+)/.exec(output)![1]!

    t.ok(output.includes(`\nhttp://127.0.0.1:${port}/mcp\n`))
    // Once by each; refused by one that stood still with the machine, and so takes itself for overloaded.
    let answered = 0
    await until(async () => {
      const { stdout } = await run('bash', ['-c', curl])
      if (JSON.parse(stdout).error?.code === 50300) return false
      t.match(JSON.parse(stdout), { result: { structuredContent: { sum: 5 } } })
      return ++answered === 2
    }, 'both have answered')
    for (const each of ports) {
      const isWell = async () => (await (await fetch(`http://127.0.0.1:${each}/ready`)).text()) === '{"status":"ready"}'
      await until(isWell, 'it is ready, and reaches its Redis')
    }

    child.kill(signal)
    const [code] = await once(child, 'exit')

    t.equal(code, 0)
    for (const each of [...ports, port]) t.equal(await isThere(each), false)
    await t.rejects(run('redis-cli', ['-p', redisPort, 'ping']))
  })
}

t.test('replicas: the Redis of REDIS_URL is used, and left as it is', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const { child, output } = await start(t, { REDIS_URL: redis.url })

  t.match(output, 'that of REDIS_URL')
  const keys = async () => (await run('redis-cli', ['-p', String(redis.port), 'keys', 'toolrack:*'])).stdout
  await until(async () => (await keys()).includes('toolrack:versions'), 'it is used')
  child.kill('SIGTERM')
  await once(child, 'exit')

  t.match((await run('redis-cli', ['-p', String(redis.port), 'ping'])).stdout, 'PONG')
})
