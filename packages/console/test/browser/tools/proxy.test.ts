// The page and the console behind a proxy that cuts off a prefix of the path.
import { once } from 'node:events'
import http from 'node:http'
import t, { type Test } from 'tap'
import { keysFile, testKey } from '../../../../../test/support/auth/api-keys.ts'
import { SECRET } from '../../../../../test/support/auth/guarded.ts'
import { signed } from '../../../../../test/support/auth/tokens.ts'
import { findCall, inCall, press, serveConsole } from '../../../../../test/support/browser/console.ts'
import { openPage } from '../../../../../test/support/browser/page.ts'
import { table } from '../../../../../test/support/browser/rack.ts'
import { freePort } from '../../../../../test/support/free-port.ts'

/** What is below the prefix is the server's; everything else is not there. */
async function cutPrefix(t: Test, port: number, prefix: string, serverPort: number): Promise<void> {
  const server = { host: '127.0.0.1', port: serverPort }
  const proxy = http.createServer((request, response) => {
    if (!request.url!.startsWith(`${prefix}/`)) return void response.writeHead(404).end()
    const path = request.url!.slice(prefix.length)
    const headers = { ...request.headers, 'x-forwarded-for': '192.0.2.1' }
    const sent = http.request({ ...server, method: request.method, path, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    response.on('close', () => sent.destroy())
    sent.on('error', () => response.destroy())
    request.pipe(sent)
  })
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
}

t.test('the page leads to the console, and a call is made, all below the prefix', async t => {
  const port = await freePort()
  const root = `http://127.0.0.1:${port}/tools/rack`
  const publicUrl = `${root}/mcp`
  const served = await serveConsole(t, { tools: [table], jwt: { secret: SECRET }, publicUrl })
  await cutPrefix(t, port, '/tools/rack', served.port)
  const { page, requests } = await openPage(t, `${root}/`, { expected: [/status of 401/] })

  await page
    .getByRole('link', { name: /console/i })
    .first()
    .click()
  await page.getByLabel('Token or API key').fill(signed(SECRET, { aud: publicUrl, sub: 'alice' }))
  await press(page, 'Use token')
  await page.getByRole('link', { name: 'list_orders' }).click()
  await press(page, 'Call')
  await inCall(page, 'OK')
  await page.getByRole('tab', { name: 'Code' }).click()

  t.ok((await findCall(page).textContent())?.includes(`${root}/tools/list_orders`))
  t.ok(requests.includes(publicUrl))
  t.strictSame(
    requests.filter(url => url.startsWith('http') && !url.startsWith(`${root}/`)),
    [],
  )
})

t.test('without PUBLIC_URL the console shows the URL that its browser used', async t => {
  const port = await freePort()
  const root = `http://127.0.0.1:${port}/tools/rack`
  const key = testKey()
  const served = await serveConsole(t, { tools: [table], apiKeysFile: keysFile(t, key).path })
  await cutPrefix(t, port, '/tools/rack', served.port)
  const { page } = await openPage(t, `${root}/console/#/tools/list_orders`, { expected: [/status of 401/] })

  await page.getByLabel('Token or API key').fill(key.key)
  await press(page, 'Use token')
  await page.getByRole('tab', { name: 'Code' }).click()
  await findCall(page).getByText(`${root}/tools/list_orders`).waitFor()
  await page.getByRole('link', { name: 'Connect' }).click()
  await page.getByText(`claude mcp add --transport http toolrack ${root}/mcp`).waitFor()
})
