// The process: a start that fails says why, in one line, and ends; a log that cannot be written ends nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { runPiped } from '../../../../../test/support/command-line.ts'
import { until } from '../../../../../test/support/eventually.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { callOver, serve, withoutSettings } from '../../../../../test/support/servers/own-process.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

const PROBE = { 'probe.mjs': `export default { name: 'probe', handler: () => 'alive' }` }

async function takePort(t: Test): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1')
  t.teardown(() => taken.close())
  await once(taken, 'listening')
  return (taken.address() as AddressInfo).port
}

t.test('start: a port of the metrics that is taken is named as such, also by the server itself', async t => {
  const [taken, free] = [await takePort(t), await freePort()]
  const folder = tempFolder(t, PROBE).path

  for (const [port, metricsPort] of [
    [0, taken],
    [free, free],
  ] as const) {
    const env = { HOST: '127.0.0.1', PORT: String(port), METRICS_PORT: String(metricsPort), TOOLS_DIR: folder }
    const ended = await runPiped(t, [], { program: 'src/server.ts', env })

    t.equal(ended.code, 1)
    const where = `port ${metricsPort} of 127.0.0.1`
    t.equal(ended.stderr, `METRICS_PORT: something listens on ${where} already; stop it, or take another port\n`)
  }
})

t.test('start: variables that are likely mistakes are warnings, and the server serves', async t => {
  const tool = `export default { name: 'a', description: 'A.', settings: ['SHOP_KEY'], handler: () => '' }`
  const env = { SHOP_KEY: '"secret"', REDIS_URI: 'redis://user:secret@db', ISSUER: 'https://login.example' }
  const server = await serve(t, { 'a.mjs': tool }, env)

  const warnings = server.lines.filter(({ msg }) => msg === 'likely mistake in a variable')
  t.strictSame(
    warnings.map(({ variable }) => variable),
    ['SHOP_KEY', 'REDIS_URI', 'ISSUER'],
  )
  t.notMatch(JSON.stringify(warnings), 'secret')
})

t.test('start: a port that is taken ends the process, whatever it watches and has open', async t => {
  const port = await takePort(t)
  const settings = { HOST: '127.0.0.1', PORT: String(port), TOOLS_DIR: tempFolder(t, PROBE).path }
  const env = { ...settings, WATCH_TOOLS: 'true', METRICS_PORT: '0' }

  const ended = await runPiped(t, [], { program: 'src/server.ts', env })

  t.equal(ended.code, 1)
  t.equal(ended.stderr, `PORT: something listens on port ${port} of 127.0.0.1 already; stop it, or take another port\n`)
})

const skip = existsSync('/dev/full') ? false : 'there is no /dev/full, which is a disk that is full'

t.test('log: a disk that is full costs lines, and no call', { skip }, async t => {
  const port = await freePort()
  const env = {
    ...withoutSettings(process.env),
    HOST: '127.0.0.1',
    PORT: String(port),
    TOOLS_DIR: tempFolder(t, PROBE).path,
  }
  const full = openSync('/dev/full', 'w')
  const server = spawn(process.execPath, ['src/server.ts'], { env, stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  const exited = once(server, 'exit')
  t.teardown(() => server.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}/mcp`
  const isReady = () =>
    fetch(new URL('/ready', url)).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(async () => server.exitCode !== null || (await isReady()), 'it is ready, or has ended')

  t.equal((await callOver(url, 'probe')).status, 200)
  server.kill('SIGTERM')

  t.strictSame(await exited, [0, null])
})
