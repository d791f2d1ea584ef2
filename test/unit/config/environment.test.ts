// What the environment says beside the settings.
import t from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { collectSecrets, watchesTools } from '../../../src/config/settings.ts'

t.test('tools are watched unless in production, or as it is said', async t => {
  const before = process.env['NODE_ENV']
  t.teardown(() => {
    if (before === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = before
  })

  for (const [mode, isWatched] of [
    ['development', true],
    ['production', false],
  ] as const) {
    process.env['NODE_ENV'] = mode
    t.equal(watchesTools(readEnvironment({})), isWatched)
    t.equal(watchesTools(readEnvironment({ WATCH_TOOLS: 'true' })), true)
    t.equal(watchesTools(readEnvironment({ WATCH_TOOLS: 'false' })), false)
  }
})

t.test('secrets are those of the settings, and what the environment names like one', async t => {
  process.env['TEST_API_KEY'] = 'a key of somebody else'
  t.teardown(() => delete process.env['TEST_API_KEY'])

  const secret = 'x'.repeat(32)
  const secrets = collectSecrets(readEnvironment({ STATE_SECRET: secret }))

  t.ok(secrets.includes(secret))
  t.ok(secrets.includes('a key of somebody else'))
  t.notOk(collectSecrets(readEnvironment({})).includes(''))
  process.env['API_KEYS_FILE'] = 'keys.json'
  t.teardown(() => {
    delete process.env['API_KEYS_FILE']
  })
  t.notOk(collectSecrets(readEnvironment({})).includes('keys.json'), 'a path is none: tools may name it')
})
