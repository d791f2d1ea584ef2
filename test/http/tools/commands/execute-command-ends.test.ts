// execute_command: how commands end, and that nothing of their process group is left.
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { listening, stream } from '../../../support/app.ts'
import type { TestReply } from '../../../support/client/reply.ts'
import { until } from '../../../support/security/hostile.ts'
import {
  allowing,
  definition,
  gone,
  membersOf,
  ownServer,
  SHELL,
  shell,
} from '../../../support/tools/execute-command-rig.ts'
import { errorOf, openBelow, setting, toolModule } from '../../../support/tools/shipped.ts'

/** A call of a script that writes its process id when it is ready, over a socket. @returns the id of its group */
async function started(t: Test, url: string, script: string): Promise<{ listener: TestReply; group: number }> {
  const args = { command: SHELL, args: [script] }
  const params = { name: 'execute_command', arguments: args }
  for (let tries = 1; ; tries++) {
    const listener = await stream(t, url, 'tools/call', params, { meta: { progressToken: 'p' } })
    const { method, params: told } = await listener.next(0)
    // Refused, or ended at once, where the machine stood still: then it comes again.
    if (method === 'notifications/progress') return { listener, group: Number(told.message) }
    if (tries === 10) throw new Error(`it did not begin: ${JSON.stringify(listener.messages)}`)
    await wait(1000)
  }
}

/** A server whose commands have so long. */
async function within(t: Test, timeout: number): Promise<string> {
  setting(t, 'EXEC_ALLOW', SHELL)
  const tool = await definition()
  const { url } = await listening(t, { tools: [{ ...tool, timeout }] })
  return url
}

const CHILDREN = 'echo $$; sleep 100 & sleep 100'
const STUBBORN = "trap '' TERM; echo $$; while :; do sleep 0.1; done"

for (const [what, script] of Object.entries({ 'its children': CHILDREN, 'one that ignores SIGTERM': STUBBORN })) {
  t.test(`execute_command: the deadline ends a command, ${what} included`, async t => {
    const url = await within(t, 700)

    let { listener, group } = await started(t, url, script)
    let before = membersOf(group).length
    // Over before it was looked at, where the machine stood still.
    for (let tries = 1; tries < 10 && before === 0; tries++) {
      ;({ listener, group } = await started(t, url, script))
      before = membersOf(group).length
    }
    await listener.ended

    t.ok(before >= 1)
    t.equal(errorOf(listener.messages.at(-1)!.result), 'execute_command timed out after 700 ms')
    await gone(group)
    t.strictSame(membersOf(group), [])
  })

  t.test(`execute_command: a client that leaves ends its command, ${what} included`, async t => {
    const url = await within(t, 60_000)
    const { listener, group } = await started(t, url, script)

    listener.close()

    await gone(group)
    t.strictSame(membersOf(group), [])
  })
}

t.test('execute_command: a command is asked by SIGTERM first, and may clean up', async t => {
  const url = await within(t, 60_000)
  const folder = t.testdir({})
  setting(t, 'FILES_DIR', folder)
  const { listener, group } = await started(
    t,
    url,
    "trap 'echo bye > ended; exit' TERM; echo $$; while :; do sleep 0.05; done",
  )

  listener.close()

  await gone(group)
  t.equal(readFileSync(`${folder}/ended`, 'utf8'), 'bye\n')
})

t.test(
  'execute_command: what a command leaves in the background ends with it, and does not hold up the call',
  async t => {
    const app = await allowing(t, SHELL)

    const holding = await shell(app, 'echo $$; sleep 100 & exit 0')
    const quiet = await shell(app, 'echo $$; sleep 100 > /dev/null 2>&1 & exit 0')

    for (const { structuredContent } of [holding, quiet]) {
      t.equal(structuredContent.exitCode, 0)
      t.ok(structuredContent.durationMs < 25_000)
      await gone(Number(structuredContent.stdout))
    }
  },
)

const LINUX_ONLY = process.platform === 'linux' ? false : 'SKIPPED: what has left its group is found in /proc'

t.test('execute_command: daemons that have left the group end with the call', { skip: LINUX_ONLY }, async t => {
  const app = await allowing(t, SHELL)
  setting(t, 'FILES_DIR', t.testdir({}))
  const waiting = 'until [ -s pids ]; do sleep 0.02; done; cat pids; rm pids'
  const daemon = "setsid sh -c 'setsid sleep 100 & echo $$ $! > pids; exec sleep 100'"

  const holding = await shell(app, `${daemon} & ${waiting}`)
  const quiet = await shell(app, `${daemon} > /dev/null 2>&1 & ${waiting}`)

  for (const { structuredContent } of [holding, quiet]) {
    t.equal(structuredContent.exitCode, 0)
    t.ok(structuredContent.durationMs < 25_000)
    for (const group of structuredContent.stdout.split(' ')) await gone(Number(group))
  }
})

t.test('execute_command: a client that leaves ends daemons too', { skip: LINUX_ONLY }, async t => {
  const url = await within(t, 60_000)
  const { listener, group } = await started(t, url, "setsid sh -c 'echo $$; exec sleep 100' & sleep 100")

  listener.close()

  await gone(group)
  t.strictSame(membersOf(group), [])
})

t.test('execute_command: a daemon with another environment does not hold up the call', async t => {
  const app = await allowing(t, SHELL)

  setting(t, 'FILES_DIR', t.testdir({}))
  const begun = 'until [ -e begun ]; do sleep 0.02; done; rm begun'

  const { structuredContent } = await shell(app, `env -i setsid sh -c 'echo $$; : > begun; exec sleep 100' & ${begun}`)

  const daemon = Number(structuredContent.stdout)
  t.ok(daemon > 1)
  // None of 0, which would be all of this process's own group.
  t.teardown(() => daemon > 1 && process.kill(daemon))
  t.equal(structuredContent.exitCode, 0)
  t.ok(structuredContent.durationMs < 25_000)
  t.strictSame(membersOf(daemon), [daemon])
})

t.test('execute_command: a closing server ends what runs', async t => {
  const app = await allowing(t, SHELL)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const { group } = await started(t, `http://127.0.0.1:${port}/mcp`, CHILDREN)

  await app.close()

  await gone(group)
  t.strictSame(membersOf(group), [])
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`execute_command: a server that ends by ${signal} leaves no command, however stubborn`, async t => {
    const { url, server } = await ownServer(t, { EXEC_ALLOW: SHELL })
    const { group } = await started(t, url, STUBBORN)

    server.kill(signal)
    const [code] = await once(server, 'exit')

    t.equal(code, 0)
    await gone(group)
    t.strictSame(membersOf(group), [])
  })
}

t.test('execute_command: 40 calls at once leave no process, descriptor or listener behind', async t => {
  const app = await allowing(t, SHELL)
  await shell(app, 'true')
  const before = { open: openBelow('').length, listeners: process.listenerCount('exit') }

  const results = await Promise.all(Array.from({ length: 40 }, () => shell(app, 'echo $$; sleep 100 & exit 0')))

  const groups = results.map(({ structuredContent }) => Number(structuredContent.stdout))
  t.equal(new Set(groups).size, 40)
  for (const group of groups) await gone(group)
  await until(() => openBelow('').length <= before.open, 'descriptors are closed')
  t.strictSame({ open: openBelow('').length, listeners: process.listenerCount('exit') }, before)
})

t.test('execute_command: arguments that are too long together are an error that says so', async t => {
  const { run } = await toolModule<typeof import('../../../../tools/_command/run.ts')>('_command/run.ts')
  const { signal } = new AbortController()

  const running = run('/bin/echo', Array(40).fill('x'.repeat(120_000)), { signal, progress() {} })

  await t.rejects(running, { message: 'The arguments are too long together (E2BIG). Call again with fewer.' })
})

t.test('execute_command: a call that was cancelled before does not start anything', async t => {
  const { run } = await toolModule<typeof import('../../../../tools/_command/run.ts')>('_command/run.ts')
  const folder = t.testdir({})
  setting(t, 'FILES_DIR', folder)
  const reason = new Error('left')

  await t.rejects(run('/bin/touch', ['made'], { signal: AbortSignal.abort(reason), progress() {} }), reason)

  await wait(50)
  t.notOk(existsSync(`${folder}/made`))
})
