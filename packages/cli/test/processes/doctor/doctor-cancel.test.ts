// Ctrl-C in `toolrack doctor` is a cancel, whatever it does just then.
import t, { type Test } from 'tap'
import { fakeServer, INITIALIZED } from '../../../../../test/support/broken-servers.ts'
import {
  noTerminal,
  type Running,
  startOnTerminal,
  startPiped,
  toPlainText,
} from '../../../../../test/support/command-line.ts'
import { until } from '../../../../../test/support/eventually.ts'

interface Waiting {
  readonly url: string
  /** Of the requests so far. */
  readonly methods: string[]
  readonly opened: string[]
  readonly ended: string[]
}

/** A server of sessions that leaves one method without an answer. */
async function waitingAt(t: Test, method: string, deletes = true): Promise<Waiting> {
  const [methods, opened, ended]: string[][] = [[], [], []] as never
  const initialize = ({ response }: { response: { setHeader(name: string, value: string): unknown } }) => {
    const id = crypto.randomUUID()
    opened!.push(id)
    response.setHeader('mcp-session-id', id)
    return INITIALIZED
  }
  const url = await fakeServer(t, { initialize }, ({ request, message, response }) => {
    const name = message.method ?? request.method
    methods!.push(name)
    if (name === 'DELETE') {
      ended!.push(String(request.headers['mcp-session-id']))
      if (deletes) response.writeHead(204).end()
      return true
    }
    return name === method
  })
  return { url, methods: methods!, opened: opened!, ended: ended! }
}

const WAYS = {
  'in a pipe': {
    skip: false,
    start: (t: Test, args: readonly string[]) => startPiped(t, args),
    cancel: ({ child }: Running) => void child.kill('SIGINT'),
  },
  'on a terminal': {
    skip: noTerminal,
    start: (t: Test, args: readonly string[]) => startOnTerminal(t, args),
    cancel: (running: Running) => running.type('\x03'),
  },
} as const

for (const [where, { skip, start, cancel }] of Object.entries(WAYS)) {
  for (const method of ['server/discover', 'initialize', 'ping', 'GET', 'tools/list', 'DELETE']) {
    t.test(`${where}, while ${method} has no answer`, { skip }, async t => {
      const { url, methods, opened, ended } = await waitingAt(t, method, method !== 'DELETE')
      const running = start(t, ['doctor', url])
      await until(() => methods.includes(method), `${method} was asked`)

      cancel(running)

      const { code, stdout, stderr } = await running.ended
      const shown = toPlainText(stdout + stderr)
      t.equal(code, 130)
      t.match(shown, /(?:^|\n|\^C)cancelled\n/)
      t.notMatch(shown, /\n +at |Error|PROBLEM|\d problems?,/)
      t.strictSame(opened.toSorted(), ended.toSorted(), 'the sessions are ended')
    })
  }
}

t.test('--json prints no half document', async t => {
  const { url, methods } = await waitingAt(t, 'tools/list')
  const running = startPiped(t, ['doctor', url, '--json'])
  await until(() => methods.includes('tools/list'), 'tools/list was asked')

  running.child.kill('SIGINT')

  t.match(await running.ended, { code: 130, stdout: '', stderr: 'cancelled\n' })
})
