// Signals: who will not wait for the drain need not, one Ctrl-C is one, and a terminal that closes takes its server along.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../../../../../test/support/security/hostile.ts'
import { callOver, type Process, serve, withoutSettings } from '../../../../../test/support/servers/own-process.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

t.jobs = 3

/** Says that it runs by a file, and runs until the other is there. */
const held = (folder: string) => `import { existsSync, writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(process.pid))
export default { name: 'held', async handler(_args, ctx) {
  writeFileSync(${JSON.stringify(join(folder, 'begun'))}, '')
  while (!existsSync(${JSON.stringify(join(folder, 'open'))})) await new Promise(done => setTimeout(done, 20))
  ctx.log.warning('late')
  return 'finished'
} }`

/** A server with a call under way. */
async function busy(t: Test) {
  const gate = tempFolder(t)
  const server = await serve(t, { 'held.mjs': held(gate.path) }, { DRAIN_MS: '60000' })
  const answered = callOver(server.url, 'held').catch((error: Error) => error)
  await until(() => existsSync(join(gate.path, 'begun')), 'the call began')
  return { server, gate, answered }
}

const linesOf = ({ lines }: Process, msg: string) => lines.filter(line => line.msg === msg)

/** Whether what ended it came so late that it was another Ctrl-C: a machine may stand still between two signals. */
function wasLate(server: Process): boolean {
  const [drained] = linesOf(server, 'draining')
  const [ended] = linesOf(server, 'exiting before all calls have ended')
  return ended !== undefined && ended.time - drained.time >= 999
}

async function pressedTwice(t: Test) {
  const { server, gate, answered } = await busy(t)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) server.child.kill(signal)
  await until(() => linesOf(server, 'draining').length > 0, 'it drains')
  gate.write({ open: '' })
  await server.exited
  return { server, answered }
}

t.test('signals: one Ctrl-C that comes twice, as npm makes it, is one', async t => {
  let { server, answered } = await pressedTwice(t)
  for (let tries = 1; wasLate(server) && tries < 5; tries++) ({ server, answered } = await pressedTwice(t))

  t.match(await answered, { status: 200 })
  t.equal(await server.exited, 0)
  t.equal(linesOf(server, 'draining').length, 1)
})

t.test('signals: Ctrl-C in a drain ends the process at once', async t => {
  const { server, answered } = await busy(t)
  server.child.kill('SIGTERM')
  await until(() => linesOf(server, 'draining').length > 0, 'it drains')

  const pressing = setInterval(() => server.child.kill('SIGINT'), 300)
  t.teardown(() => clearInterval(pressing))

  t.equal(await server.exited, 130)
  t.ok((await answered) instanceof Error)
  t.strictSame(
    linesOf(server, 'draining').map(({ reason }) => reason),
    ['SIGTERM'],
  )
  t.match(linesOf(server, 'exiting before all calls have ended'), [{ level: 40, reason: 'SIGINT' }])
})

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** In a terminal of its own, which `close` takes away. */
async function inTerminal(t: Test) {
  const gate = tempFolder(t)
  const tools = tempFolder(t, { 'held.mjs': held(gate.path) })
  const settings = { PORT: '0', TOOLS_DIR: tools.path, WATCH_TOOLS: 'false', DRAIN_MS: '60000' }
  const env = { ...withoutSettings(process.env), ...settings }
  const terminal = spawn('script', ['-qfec', `'${process.execPath}' '${serverProgram()}'`, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let shown = ''
  terminal.stdout.setEncoding('utf8').on('data', chunk => (shown += chunk))
  const url = () => /http:\/\/127\.0\.0\.1:[1-9]\d*\/mcp/.exec(shown)?.[0]
  await until(() => url() !== undefined, 'it listens')
  const pid = Number(readFileSync(join(gate.path, 'pid'), 'utf8'))
  t.teardown(() => isAlive(pid) && process.kill(pid, 'SIGKILL'))
  return {
    url: url()!,
    pid,
    gate,
    shows: (text: string) => shown.includes(text),
    close: () => terminal.kill('SIGKILL'),
  }
}

const skip = existsSync('/usr/bin/script') ? false : 'there is no script(1), which makes a terminal'

t.test('signals: SIGHUP reloads, but ends a server whose terminal has closed, drained', { skip }, async t => {
  const { url, pid, gate, shows, close } = await inTerminal(t)
  process.kill(pid, 'SIGHUP')
  await until(() => shows('reloading'), 'it reloads')
  const answered = callOver(url, 'held')
  await until(() => existsSync(join(gate.path, 'begun')), 'the call began')

  close()
  await until(async () => (await fetch(new URL('/ready', url))).status === 503, 'it drains')
  gate.write({ open: '' })

  t.match(await answered, { status: 200 })
  await until(() => !isAlive(pid), 'it ended')
})
