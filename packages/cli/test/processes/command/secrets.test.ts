// The server as a process whose secrets are a volume of Kubernetes: a new version counts without a restart.
import { join } from 'node:path'
import t from 'tap'
import { RESOURCE, SECRET } from '../../../../../test/support/auth/guarded.ts'
import { signed } from '../../../../../test/support/auth/tokens.ts'
import { configMapVolume } from '../../../../../test/support/config-map.ts'
import { until } from '../../../../../test/support/eventually.ts'
import { callOver, serve } from '../../../../../test/support/servers/own-process.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

const NEXT = 'the next secret of the tests, and as long'

t.test('a Secret that is swapped: tokens of the new one count; one that is not valid changes nothing', async t => {
  const { path } = tempFolder(t)
  const volume = configMapVolume(path, { jwt: SECRET })
  const server = await serve(t, {}, { JWT_SECRET_FILE: join(path, 'jwt'), PUBLIC_URL: RESOURCE })
  const headers = (secret: string) => ({ authorization: `Bearer ${signed(secret, { aud: RESOURCE })}` })
  const status = async (secret: string) =>
    (await callOver(server.url, 'probe', {}, { headers: headers(secret) })).status
  const count = (text: string) => server.lines.filter(({ msg }) => msg === text).length
  const ready = async () => (await fetch(new URL('/ready', server.url))).json()
  t.equal(await status(SECRET), 200)

  volume.update({ jwt: NEXT })
  await until(() => count('secret renewed') === 1, 'the new secret counts')
  t.strictSame([await status(SECRET), await status(NEXT)], [401, 200])

  volume.update({ jwt: 'short-4711' })
  await until(() => count('could not renew a secret; using the one before') === 1, 'it warns')
  t.equal(await status(NEXT), 200)
  t.strictSame(await ready(), {
    status: 'ready',
    degraded: ['JWT_SECRET_FILE: expected at least 32 bytes; the secret before stays'],
  })

  // SIGHUP reads it too, and repeats no warning.
  server.child.kill('SIGHUP')
  await until(() => server.lines.some(({ msg }) => msg === 'reloading'), 'it reloads')
  volume.update({ jwt: SECRET })
  await until(() => count('secret renewed') === 2, 'a valid one counts again')
  t.strictSame([await status(SECRET), await status(NEXT)], [200, 401])
  t.strictSame(
    server.lines.filter(({ msg }) => /secret/.test(msg)).map(({ msg, reason, setting }) => [msg, reason ?? setting]),
    [
      ['secret renewed', 'JWT_SECRET_FILE'],
      ['could not renew a secret; using the one before', 'JWT_SECRET_FILE: expected at least 32 bytes'],
      ['secret renewed', 'JWT_SECRET_FILE'],
    ],
  )
  for (const text of [SECRET, NEXT, 'short-4711', path]) t.notMatch(server.stdout, text)
})
