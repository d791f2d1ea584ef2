// What an error or a log line of a tool must not tell.
import t from 'tap'
import { defineTool, ToolError } from '../../../src/index.ts'
import { callTool } from '../../support/app.ts'
import { attack, CANARY, failure, rack } from '../../support/security/hostile.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLWhlcmU'
const SECRETS: [what: string, text: string, left: string, gone: string][] = [
  ['credentials of a URL', 'cannot reach postgres://admin:hunter2@db/x', 'postgres://[credentials]@db', 'hunter2'],
  ['a key of a provider', 'bad key sk-proj-abcdefghijklmnop', 'bad key [secret]', 'abcdefghijklmnop'],
  ['a token', `rejected ${JWT}`, 'rejected [token]', 'eyJhbGciOiJIUzI1NiJ9'],
  ['a header', 'sent Authorization: Bearer abcdef123456', 'Bearer [token]', 'abcdef123456'],
  ['a path', `ENOENT: no such file, open '${process.cwd()}/data/prices.csv'`, "open '[path]'", 'prices.csv'],
  ['a file URL', `Cannot find module ${import.meta.url}`, 'Cannot find module [path]', 'd-throws'],
  ['a secret of the environment', `the key ${CANARY} was refused`, 'the key [secret] was refused', CANARY],
]

for (const [what, text, left, gone] of SECRETS) {
  t.test(`D2: ${what} in an error's text leaves neither in the reply nor in the log`, async t => {
    const tool = defineTool({
      name: 'leaky',
      handler() {
        // What a ToolError says of a path is its author's.
        const Thrown = /path|file/.test(what) ? Error : ToolError
        throw new Thrown(text, { cause: new Error(`because of ${text}`, { cause: CANARY }) })
      },
    })
    const app = await rack(t, [tool])

    const shown = failure(await attack(app, 'leaky'))

    t.match(shown, left)
    t.notMatch(shown, 'because of')
    t.notMatch(shown + app.logs.text, gone)
  })
}

for (const [what, text, , gone] of SECRETS.filter(([what]) => !/path|file/.test(what))) {
  t.test(`D2: ${what} in an error's text, name or stack is in no stack that the log of a debugger has`, async t => {
    const tool = defineTool({
      name: 'leaky',
      handler() {
        const stack = `Error: ${text}\n    at ${text} (file:///srv/${gone}.js:1:2)\n    at ${gone}:1:2`
        const cause = Object.assign(new Error(text, { cause: CANARY }), { stack: stack.replaceAll(gone, CANARY) })
        throw Object.assign(new Error(text, { cause }), { name: text })
      },
    })
    const app = await rack(t, [tool], { logLevel: 'debug' })

    await callTool(app, 'leaky')

    t.match(app.logs.text, /"stack":".*\\n {4}at .*Caused by/)
    t.notMatch(app.logs.text, gone)
    t.notMatch(app.logs.text, CANARY)
  })
}

t.test('D2: an error whose name, stack and cause are secret shows its message only', async t => {
  const tool = defineTool({
    name: 'leaky',
    handler() {
      const error = new Error('failed', { cause: { password: CANARY } })
      throw Object.assign(error, { name: CANARY, stack: `Error: ${CANARY}`, response: { headers: CANARY } })
    },
  })
  const app = await rack(t, [tool])

  t.equal(failure(await attack(app, 'leaky')), 'failed')
})

t.test('D2: what a tool logs is masked for the log and the client, its faults too', async t => {
  const tool = defineTool({
    name: 'chatty',
    handler(_args, { log }) {
      log.error('refused', { key: CANARY, nested: [{ at: `${process.cwd()}/x/y.ts` }] })
      log.error({
        get key() {
          throw new Error(`set off, ${CANARY}`)
        },
      })
      return 'done'
    },
  })
  const app = await rack(t, [tool])

  const reply = await attack(app, 'chatty', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } })

  t.match(
    reply.notifications.map(({ params }) => params.data),
    [
      { message: 'refused', data: { key: '[secret]', nested: [{ at: '[path]' }] } },
      { key: '(not logged: reading it threw an error)' },
    ],
  )
})
