// Secrets whose files change while the server runs.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { findSecretFiles } from '../../../packages/environment/src/secret-files.ts'
import { LiveSettings } from '../../../src/config/live-settings.ts'
import { configMapVolume } from '../../support/config-map.ts'
import { until } from '../../support/eventually.ts'
import { fakeLog } from '../../support/fakes.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const FIRST = 'the first of the secrets that follow each other'
const NEXT = 'the next of the secrets that follow each other!'
const JWT_SECRET = 'JWT_SECRET_FILE'

/** Settings of files in one folder, each with the name of its setting. */
function open(t: Test, files: Record<string, string>, path = tempFolder(t, files).path) {
  const environment = Object.fromEntries(Object.keys(files).map(name => [`${name}_FILE`, join(path, name)]))
  const log = fakeLog()
  const seen: string[] = []
  const live = new LiveSettings({
    settings: readEnvironment(environment),
    files: findSecretFiles(environment),
    onSecret: secret => seen.push(`new ${secret}`),
    onRenewed: setting => seen.push(`renewed ${setting}`),
    log,
    checkMs: 10,
  })
  t.teardown(() => live.close())
  return { live, log, seen, path }
}

t.test('a file that changes: the new secret counts, and is known before anything uses it', t => {
  const folder = tempFolder(t, { JWT_SECRET: FIRST })
  const { live, log, seen } = open(t, { JWT_SECRET: FIRST }, folder.path)
  live.follow('JWT_SECRET', secret => void seen.push(`used ${secret} ${live.current.jwtSecret === secret}`))

  live.reload()
  t.strictSame([seen, log.lines], [[], []], 'nothing has changed')
  folder.write({ JWT_SECRET: `${NEXT}\n` })
  live.reload()
  live.reload()

  t.strictSame(seen, [`new ${NEXT}`, `used ${NEXT} true`, 'renewed JWT_SECRET_FILE'])
  t.strictSame(log.lines, [{ level: 'info', fields: { setting: JWT_SECRET }, text: 'secret renewed' }])
  t.strictSame(live.problems, [])
  t.end()
})

for (const [what, text, reason] of [
  ['is gone', undefined, 'expected the path of a file that can be read (ENOENT)'],
  ['is empty', '\n', 'expected a file with a secret, not an empty one'],
  ['is too short', 'too-short-7351', 'expected at least 32 bytes'],
  ['is in quotes', `"${NEXT}"`, 'expected the value without quotes around it, which docker run --env-file keeps'],
] as const) {
  t.test(`a file that ${what}: the secret before stays, and one warning tells neither the path nor the text`, t => {
    const folder = tempFolder(t, { JWT_SECRET: FIRST })
    const { live, log, seen, path } = open(t, { JWT_SECRET: FIRST }, folder.path)

    folder.write({ JWT_SECRET: text })
    live.reload()
    live.reload()

    t.equal(live.current.jwtSecret, FIRST)
    t.strictSame(seen, [])
    const warning = `${JWT_SECRET}: ${reason}`
    t.strictSame(log.lines, [
      { level: 'warn', fields: { reason: warning }, text: 'could not renew a secret; using the one before' },
    ])
    t.strictSame(live.problems, [`${warning}; the secret before stays`])
    t.notMatch(JSON.stringify([log.lines, live.problems]), path)
    t.notMatch(JSON.stringify([log.lines, live.problems]), /7351|the next/)

    folder.write({ JWT_SECRET: NEXT })
    live.reload()
    t.strictSame([live.current.jwtSecret, live.problems], [NEXT, []])
    t.end()
  })
}

t.test('secrets that change together are all there before the first is used', t => {
  const files = { STATE_SECRET: FIRST, STATE_SECRET_PREVIOUS: NEXT }
  const folder = tempFolder(t, files)
  const { live } = open(t, files, folder.path)
  const used: unknown[] = []
  const use = () => void used.push([live.current.stateSecret, live.current.stateSecretPrevious])
  live.follow('STATE_SECRET', use).follow('STATE_SECRET_PREVIOUS', use)

  folder.write({ STATE_SECRET: NEXT, STATE_SECRET_PREVIOUS: FIRST })
  live.reload()

  t.strictSame(used, [
    [NEXT, FIRST],
    [NEXT, FIRST],
  ])
  t.end()
})

t.test('what refuses a secret keeps the one before, and is asked again', t => {
  const folder = tempFolder(t, { REDIS_URL: 'redis://:one@localhost/0' })
  const { live, log } = open(t, { REDIS_URL: 'redis://:one@localhost/0' }, folder.path)
  live.follow('REDIS_URL', url => {
    if (url.endsWith('/1')) throw new Error('expected the same database')
  })

  folder.write({ REDIS_URL: 'redis://:two@localhost/1' })
  live.reload()
  live.reload()
  t.equal(live.current.redisUrl, 'redis://:one@localhost/0')
  t.strictSame(live.problems, ['REDIS_URL_FILE: expected the same database; the secret before stays'])
  t.equal(log.lines.length, 1, 'warned once')

  folder.write({ REDIS_URL: 'redis://:two@localhost/0' })
  live.reload()
  t.strictSame([live.current.redisUrl, live.problems], ['redis://:two@localhost/0', []])
  t.end()
})

t.test('files are watched: a volume of Kubernetes that swaps its link, and a change before the start', async t => {
  const files = { JWT_SECRET: FIRST, METRICS_TOKEN: FIRST }
  const { path } = tempFolder(t)
  const volume = configMapVolume(path, files)
  const { live } = open(t, files, path)

  volume.update({ ...files, JWT_SECRET: NEXT })
  live.start()
  t.equal(live.current.jwtSecret, NEXT)

  volume.update({ JWT_SECRET: FIRST, METRICS_TOKEN: NEXT })
  await until(() => live.current.metricsToken === NEXT, 'the token of the volume counts')
  t.equal(live.current.jwtSecret, FIRST)
})
