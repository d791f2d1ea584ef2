// `toolrack/state` as the author of a store runs it. The suites themselves run beside this, by tap.
import { spawnSync } from 'node:child_process'
import t from 'tap'

function run(pattern: string) {
  const program = new URL('kit-program.ts', import.meta.url).pathname
  // A process of node:test below another one would write for machines.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: '' }
  const args = ['--test', '--test-reporter=tap', `--test-name-pattern=${pattern}`, program]
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(stdout)?.[1])
  return { status, stdout, passed: count('pass'), failed: count('fail') }
}

t.test('stores that keep their promises pass', async t => {
  const { status, passed, failed, stdout } = run('^memory: (usedTokens|files|events|sessions)')

  t.equal(status, 0, stdout)
  t.equal(failed, 0)
  t.ok(passed > 20, `${passed} passed`)
})

t.test('a store that forgets fails, by the names of what it does not promise', async t => {
  const { status, stdout } = run('^forgetful:')

  t.equal(status, 1)
  t.match(stdout, /not ok \d+ - forgetful: usedTokens: an id is spent once, and never again/)
})

t.test('a failed case says what it expects, also of what may be any number', async t => {
  const { status, stdout } = run('^curt: tasks: of one client so many')

  t.equal(status, 1)
  t.match(stdout, /does not match .*"retryAfterS":"a number"/)
})

t.test('a store that does not know when a session expires need not tell', async t => {
  const { status, stdout, passed } = run('^silent: sessions: (an unused session|past the bound)')

  t.equal(status, 0, stdout)
  t.equal(passed, 2)
})

t.test('a store that has no bounds of its own is spared those cases', async t => {
  const { status, stdout } = run('^unbounded: tasks: (a new|an unknown|of all clients)')

  t.equal(status, 0)
  t.match(stdout, /unbounded: tasks: a new task is found at once/)
  t.notMatch(stdout, /of all clients so many tasks/)
})
