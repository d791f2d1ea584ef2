// Variables of tools that files have: GITHUB_TOKEN by GITHUB_TOKEN_FILE.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../../../../test/support/eventually.ts'
import { answer, names, serve, tempFolder } from '../../../../test/support/tools-folder.ts'

const SECRET = 'the-secret-of-a-tool-in-a-file'

/** Sets the variable of a file, and forgets what the server makes of it. */
function setFile(t: Test, name: string, path: string): void {
  process.env[`${name}_FILE`] = path
  t.teardown(() => {
    delete process.env[`${name}_FILE`]
    delete process.env[name]
  })
}

const reading = (name: string, extra = '') => `const atTop = process.env['${name}']
export default { name: 'read', ${extra} handler: () => String(atTop === process.env.${name} ? atTop : 'differs') }`

for (const [what, extra] of [
  ['a tool that requires it', `requires: ['TEST_FILE_TOKEN'],`],
  ['a tool that declares nothing', ''],
  ['an isolated tool that says so', `isolate: true, settings: ['TEST_FILE_TOKEN'],`],
] as const) {
  t.test(`${what} has it from its file, at the top level and in the handler`, async t => {
    const { path } = tempFolder(t, { token: `${SECRET}\n` })
    setFile(t, 'TEST_FILE_TOKEN', join(path, 'token'))

    const { app } = await serve(t, { 'a.mjs': reading('TEST_FILE_TOKEN', extra) })

    t.equal(await answer(app, 'read'), SECRET)
  })
}

const NEXT = 'the-next-secret-of-a-tool-in-a-file'

for (const [what, extra] of [
  ['a tool', ''],
  ['an isolated tool', `isolate: true, settings: ['TEST_FILE_TOKEN'],`],
] as const) {
  t.test(`a file that changes: ${what} is loaded again with the new value, which is masked`, async t => {
    const folder = tempFolder(t, { token: SECRET })
    setFile(t, 'TEST_FILE_TOKEN', join(folder.path, 'token'))
    const leak = `export default { name: 'leak', handler() { throw new Error('bad ' + process.env.TEST_FILE_TOKEN) } }`
    const { app } = await serve(t, { 'a.mjs': reading('TEST_FILE_TOKEN', extra), 'leak.mjs': leak })
    t.equal(await answer(app, 'read'), SECRET)

    folder.write({ token: `${NEXT}\n` })
    await until(async () => (await answer(app, 'read')) === NEXT, 'the new value counts')

    t.notMatch(await answer(app, 'leak'), NEXT)
    t.notMatch(JSON.stringify(app.logs.lines), NEXT)
    t.match(
      app.logs.lines.find(({ msg }) => msg === 'secret renewed'),
      { setting: 'TEST_FILE_TOKEN_FILE' },
    )
  })
}

t.test('a change that cannot be used: the value before stays, and GET /ready says so', async t => {
  const folder = tempFolder(t, { token: SECRET })
  setFile(t, 'TEST_FILE_TOKEN', join(folder.path, 'token'))
  const { app } = await serve(t, { 'a.mjs': reading('TEST_FILE_TOKEN') }, { toolsStrict: true })

  folder.write({ token: '' })
  await app.toolrack.reload()
  await app.toolrack.reload()

  t.equal(await answer(app, 'read'), SECRET)
  const ready = await app.inject('/ready')
  t.equal(ready.statusCode, 200)
  t.strictSame(ready.json().degraded, ['TEST_FILE_TOKEN_FILE: expected a file with a secret, not an empty one'])
  t.equal(app.logs.lines.filter(({ msg }) => msg === "could not read the file of a tool's variable").length, 1)
  t.notOk(
    app.audit.lines.some(({ event }) => event === 'tools-changed'),
    'nothing is loaded again',
  )

  folder.write({ token: NEXT })
  await app.toolrack.reload()
  t.equal(await answer(app, 'read'), NEXT)
  t.equal((await app.inject('/ready')).json().degraded, undefined)
})

t.test('a variable that is set otherwise is left alone', async t => {
  const folder = tempFolder(t, { token: SECRET })
  setFile(t, 'TEST_FILE_TOKEN', join(folder.path, 'token'))
  process.env['TEST_FILE_TOKEN'] = 'of the shell'
  const { app } = await serve(t, { 'a.mjs': reading('TEST_FILE_TOKEN') })

  folder.write({ token: NEXT })
  await app.toolrack.reload()

  t.equal(await answer(app, 'read'), 'of the shell')
})

t.test('a helper names it', async t => {
  const { path } = tempFolder(t, { token: SECRET })
  setFile(t, 'TEST_FILE_TOKEN', join(path, 'token'))

  const { app } = await serve(t, {
    '_token.mjs': 'export const token = process.env.TEST_FILE_TOKEN',
    'a.mjs': `import { token } from './_token.mjs'\nexport default { name: 'a', handler: () => token }`,
  })

  t.equal(await answer(app, 'a'), SECRET)
})

t.test('a variable that no file of a tool names is not read', async t => {
  const { path } = tempFolder(t, { token: SECRET })
  setFile(t, 'TEST_FILE_TOKEN', join(path, 'token'))

  await serve(t, { 'a.mjs': `export default { name: 'a', handler: () => process.env.TEST_FILE_TOKEN_FILE }` })

  t.equal(process.env['TEST_FILE_TOKEN'], undefined)
})

t.test('a file that cannot be read is told by its variable, and keeps a strict server from being ready', async t => {
  const { path } = tempFolder(t)
  setFile(t, 'TEST_FILE_TOKEN', join(path, 'none'))
  const files = {
    'a.mjs': reading('TEST_FILE_TOKEN', `requires: ['TEST_FILE_TOKEN'],`),
    'b.mjs': `export default { name: 'b', handler: () => '' }`,
  }

  const { app } = await serve(t, files, { toolsStrict: true })

  t.strictSame(await names(app), ['b'])
  const ready = await app.inject('/ready')
  t.equal(ready.statusCode, 503)
  t.match(ready.json().degraded, [/^TEST_FILE_TOKEN_FILE: expected the path of a file that can be read \(ENOENT\)$/])
  t.match(
    app.logs.lines.find(({ msg }) => msg === "could not read the file of a tool's variable"),
    { level: 50 },
  )

  writeFileSync(join(path, 'none'), SECRET)
  await app.toolrack.reload()
  t.equal((await app.inject('/ready')).statusCode, 200)
  t.equal(await answer(app, 'read'), SECRET)
})

t.test('what a file has is masked in errors', async t => {
  const { path } = tempFolder(t, { token: SECRET })
  setFile(t, 'TEST_FILE_TOKEN', join(path, 'token'))

  const { app } = await serve(t, {
    'a.mjs': `export default { name: 'a', handler() { throw new Error('bad ' + process.env.TEST_FILE_TOKEN) } }`,
  })

  t.notMatch(await answer(app, 'a'), SECRET)
  t.notMatch(JSON.stringify(app.logs.lines), SECRET)
})

t.test('the variable of a setting of ours is never given to tools', async t => {
  const { path } = tempFolder(t, { token: 'x'.repeat(32) })
  setFile(t, 'METRICS_TOKEN', join(path, 'token'))

  const { app } = await serve(t, { 'a.mjs': reading('METRICS_TOKEN') })

  t.equal(await answer(app, 'read'), 'undefined')
})
