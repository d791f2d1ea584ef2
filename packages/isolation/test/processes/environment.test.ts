// The environment of an isolated tool: what its definition names, and what every program needs.
import { readdirSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { build, callTool } from '../../../../test/support/app.ts'
import { until } from '../../../../test/support/security/hostile.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'
import { MAX_KEPT_PROCESSES } from '../../src/isolation.ts'

const read = `() => JSON.stringify({ pid: process.pid, ...process.env })`
const tool = (name: string, fields = '') => `{ name: '${name}', isolate: true, ${fields} handler: ${read} }`
const folderOf = (...tools: string[]) => ({ 'tools.mjs': `export default [${tools.join()}]` })
const LINUX_ONLY = process.platform === 'linux' ? false : 'SKIPPED: processes are found in /proc'

function setVariables(t: Test, variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name]
    process.env[name] = value
    t.teardown(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
}

const serve = async (t: Test, ...tools: string[]) => {
  const app = await build(t, { toolsDir: tempFolder(t, folderOf(...tools)).path, watchTools: false })
  return async (name: string): Promise<Record<string, string>> =>
    JSON.parse((await callTool(app, name)).content[0].text)
}

t.test('D22: environment: a process gets what its tool requires or says it reads, and no other variable', async t => {
  setVariables(t, { JWT_SECRET: 'x'.repeat(32), SHOP_KEY: 'key', SHOP_URL: 'url', SHOP_REGION: 'eu', OTHER: 'other' })
  const environment = await serve(
    t,
    tool('plain'),
    tool(
      'shop',
      `requires: ['SHOP_KEY', ['SHOP_URL', 'SHOP_SOCKET'], { what: 'x', isMet: true }], settings: ['SHOP_REGION'],`,
    ),
  )

  const [plain, shop] = [await environment('plain'), await environment('shop')]

  for (const name of ['JWT_SECRET', 'OTHER']) t.notOk(name in plain || name in shop, name)
  for (const name of ['SHOP_KEY', 'SHOP_URL', 'SHOP_REGION']) t.notOk(name in plain, name)
  t.match(shop, { SHOP_KEY: 'key', SHOP_URL: 'url', SHOP_REGION: 'eu' })
  t.not(plain['pid'], shop['pid'], 'it would find there what the other was given')
})

t.test('environment: a process gets what programs need: paths, locale, proxies, certificates', async t => {
  const needed = {
    HOME: '/home/x',
    TMPDIR: '/tmp',
    LANG: 'de_DE.UTF-8',
    LC_TIME: 'C',
    TZ: 'Europe/Berlin',
    HTTPS_PROXY: 'http://proxy:3128',
    no_proxy: 'localhost',
    NODE_ENV: 'test',
    NODE_USE_ENV_PROXY: '1',
    SSL_CERT_FILE: '/etc/ssl/cert.pem',
    OPENSSL_MODULES: '/usr/lib/ossl-modules',
  }
  setVariables(t, needed)
  const environment = await serve(t, tool('plain'))

  t.match(await environment('plain'), { ...needed, PATH: process.env['PATH'] })
})

t.test('environment: a handler that reads what its process does not get is a likely mistake', async t => {
  const reading = `({ env }) => {
    const { SHOP_CITY, SHOP_TAX: tax = '0', HOME, ...rest } = process.env
    return [process.env.SHOP_KEY, process.env['SHOP_URL'], process.env.LC_ALL, env.HOME]
  }`
  const fields = `description: 'Shops.', settings: ['SHOP_KEY'], handler: ${reading}`
  const source = `export default [{ name: 'shop', isolate: true, ${fields} }, { name: 'near', ${fields} }]`
  const app = await build(t, { toolsDir: tempFolder(t, { 'a.mjs': source }).path, watchTools: false })

  t.strictSame(
    app.logs.lines.filter(({ msg }) => msg === 'likely mistake in a tool').map(({ tool, reason }) => [tool, reason]),
    ['SHOP_URL', 'SHOP_CITY', 'SHOP_TAX'].map(name => [
      'shop',
      `reads ${name}, which its process does not get; add settings: ['${name}']`,
    ]),
  )
})

t.test('environment: a declared secret comes from its file too', async t => {
  const { path } = tempFolder(t, { key: 'from a file\n' })
  setVariables(t, { SHOP_KEY_FILE: `${path}/key` })
  t.teardown(() => delete process.env['SHOP_KEY'])
  const environment = await serve(t, tool('shop', `requires: ['SHOP_KEY'],`))

  t.match(await environment('shop'), { SHOP_KEY: 'from a file' })
})

t.test('D22: environment: tools that name the same share a process, and others have their own', async t => {
  const names = Array.from({ length: MAX_KEPT_PROCESSES + 1 }, (_, index) => `KEY_${index}`)
  setVariables(t, Object.fromEntries(names.map(name => [name, name])))
  const environment = await serve(
    t,
    ...names.map(name => tool(name.toLowerCase(), `settings: ['${name}'],`)),
    tool('same', `requires: ['KEY_0'],`),
  )

  t.equal((await environment('key_0'))['pid'], (await environment('same'))['pid'])
  const pids = new Set<string>()
  for (const name of names) pids.add((await environment(name.toLowerCase()))['pid']!)
  t.equal(pids.size, names.length)
})

t.test(
  'environment: idle processes of other tools make way, so that no more stay than may',
  { skip: LINUX_ONLY },
  async t => {
    const names = Array.from({ length: MAX_KEPT_PROCESSES + 1 }, (_, index) => `KEY_${index}`)
    setVariables(t, Object.fromEntries(names.map(name => [name, name])))
    const environment = await serve(t, ...names.map(name => tool(name.toLowerCase(), `settings: ['${name}'],`)))

    for (const name of names) await environment(name.toLowerCase())

    await until(() => countChildren() <= MAX_KEPT_PROCESSES, 'no more run')
    t.equal(countChildren(), MAX_KEPT_PROCESSES)
  },
)

/** Living processes of isolated tools that this one has started. */
function countChildren(): number {
  return readdirSync('/proc').filter(pid => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      return new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status) && command.includes('/isolation/src/entry')
    } catch {
      return false
    }
  }).length
}
