// The files of the console: what is served, how it may be kept, and what else there is not.
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { type App, build } from '../../../../../test/support/app.ts'
import { RESOURCE, SECRET } from '../../../../../test/support/auth/guarded.ts'
import { consoleFolder, FILES, fillConsole, withConsole } from '../../../../../test/support/console/app.ts'

const get = (app: App, url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

t.test('the console is at /console/, and its files beside it', async t => {
  const app = await withConsole(t)

  const page = await get(app, '/console/')
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-type'], /^text\/html/)
  t.equal(page.body, FILES['index.html'])
  for (const [name, text] of Object.entries(FILES)) t.equal((await get(app, `/console/${name}`)).body, text, name)
  t.match((await get(app, '/console/assets/main-ABCD2345.js')).headers['content-type'], /javascript/)
})

t.test('/console leads there by a relative redirect, whatever a proxy has before it', async t => {
  const app = await withConsole(t, { publicUrl: 'https://tools.example/rack/mcp' })

  const { statusCode, headers } = await get(app, '/console?a=1')
  t.equal(statusCode, 302)
  t.equal(headers.location, 'console/')
  t.equal(new URL(headers.location!, 'https://tools.example/rack/console').pathname, '/rack/console/')
})

t.test('names with a hash may be kept for ever, others are asked for again', async t => {
  const app = await withConsole(t)
  const kept = async (name: string, headers = {}) =>
    (await get(app, `/console/${name}`, headers)).headers['cache-control']

  t.match(await kept('assets/main-ABCD2345.js'), /max-age=31536000, immutable/)
  t.match(await kept('assets/main-ABCD2345.css', { 'accept-encoding': 'br' }), /immutable/)
  for (const name of ['', 'index.html', 'callback.html', 'assets/plain.js']) t.equal(await kept(name), 'no-cache', name)
})

t.test('a page that has not changed is not sent again', async t => {
  const app = await withConsole(t)
  const { etag } = (await get(app, '/console/')).headers

  const again = await get(app, '/console/', { 'if-none-match': etag! })
  t.equal(again.statusCode, 304)
  t.match(again.headers['content-security-policy'], /default-src 'none'/)
})

t.test('files are sent compressed, as the build has made them', async t => {
  const app = await withConsole(t)
  const coded = async (url: string, encoding: string) => {
    const { headers, rawPayload } = await get(app, url, { 'accept-encoding': encoding })
    t.match(headers.vary, /accept-encoding/i)
    return { encoding: headers['content-encoding'], type: headers['content-type'], bytes: rawPayload }
  }

  const br = await coded('/console/assets/main-ABCD2345.js', 'gzip, br')
  t.equal(br.encoding, 'br')
  t.match(br.type, /javascript/)
  t.equal(brotliDecompressSync(br.bytes).toString(), FILES['assets/main-ABCD2345.js'])
  const gzip = await coded('/console/', 'gzip')
  t.equal(gzip.encoding, 'gzip')
  t.equal(gunzipSync(gzip.bytes).toString(), FILES['index.html'])
  t.equal((await coded('/console/assets/plain.js', 'br')).encoding, undefined)
})

t.test('HEAD works, other verbs do not', async t => {
  const app = await withConsole(t)

  const head = await app.inject({ method: 'HEAD', url: '/console/' })
  t.equal(head.statusCode, 200)
  t.equal(head.body, '')
  t.equal((await app.inject({ method: 'HEAD', url: '/console' })).statusCode, 302)
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'] as const)
    t.equal((await app.inject({ method, url: '/console/' })).statusCode, 404, method)
})

t.test('what is not there is a 404 with the headers of the console', async t => {
  const app = await withConsole(t)

  for (const url of ['/console/none', '/console/assets', '/console/assets/', '/console/api/none']) {
    const { statusCode, headers, body } = await get(app, url)
    t.equal(statusCode, 404, url)
    t.match(headers['content-security-policy'], /default-src 'none'/)
    t.equal(body, 'The console has no such file.\n')
  }
})

t.test('a console that is not built says how to build it, and is served once it is', async t => {
  const folder = t.testdir({})
  const app = await withConsole(t, {}, join(folder, 'console'))

  const before = await get(app, '/console/')
  t.equal(before.statusCode, 503)
  t.match(before.body, /npm run build/)
  fillConsole(join(folder, 'console'))
  t.equal((await get(app, '/console/')).statusCode, 200)
})

t.test('CONSOLE=false serves none of it, nor does a server for other machines by default', async t => {
  const access = { jwt: { secret: SECRET }, publicUrl: RESOURCE }
  for (const options of [{ console: false }, { host: '0.0.0.0', ...access }]) {
    const app = await withConsole(t, options)
    for (const url of ['/console', '/console/', '/console/config.json', '/console/api/activity'])
      t.equal((await get(app, url)).statusCode, 404, url)
  }
  const app = await withConsole(t, { host: '0.0.0.0', console: true, ...access })
  t.equal((await get(app, '/console/')).statusCode, 200)
})

t.test('the endpoint cannot have a path of the console', async t => {
  await t.rejects(build(t, { mcpPath: '/console' }), /^mcpPath: expected a path of its own/)
  await t.resolves(build(t, { mcpPath: '/console', console: false }))
})

t.test('without access control the console stops a server for other machines', async t => {
  const open = { allowAnonymous: true, console: true }
  const message = /^console: 0\.0\.0\.0 is not loopback, so the console needs access control/
  const app = await build(t, open)

  t.throws(() => app.listen({ host: '0.0.0.0', port: 0 }), message)
  await t.resolves(app.listen({ host: '127.0.0.1', port: 0 }))
  const other = await build(t, { allowAnonymous: true })
  await t.resolves(other.listen({ host: '0.0.0.0', port: 0 }), 'where nobody has asked for a console')
})

t.test('a folder of the build is never left', async t => {
  const folder = consoleFolder(t)
  const app = await withConsole(t, {}, folder)
  for (const path of [
    '../outside.txt',
    '..%2foutside.txt',
    '%2e%2e/outside.txt',
    '%2e%2e%2foutside.txt',
    'assets/../../outside.txt',
    'assets/..%2f..%2foutside.txt',
    '..%5coutside.txt',
    '..\\outside.txt',
    '%2fetc/passwd',
    '/etc/passwd',
    '%00',
    'index.html%00.js',
    '.git/config',
    `${'../'.repeat(20)}etc/passwd`,
  ]) {
    const { statusCode, body } = await get(app, `/console/${path}`)
    t.equal(statusCode, 404, path)
    t.notMatch(body, /outside\n?$|root:/)
  }
})
