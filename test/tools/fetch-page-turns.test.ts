// Pages that do not end take the threads of one subject, and of another two of them at most.
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { MAX_THREADS } from '../../src/isolation/isolation.ts'
import { callTool } from '../helper.ts'
import { as, guarded } from '../security/callers.ts'
import { until } from '../security/hostile.ts'
import { turns } from '../turns.ts'
import { SHIPPED, setting } from './shipped.ts'
import { html, site } from './web-servers.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

t.test('fetch_page: while one subject reads pages without an end, another waits for two of them at most', async t => {
  const open: ServerResponse[] = []
  const { url, host, asked } = await site(t, {
    '/endless': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write('and so on')
      open.push(response)
    },
    '/short': html('short', 'text/plain'),
  })
  setting(t, 'FETCH_ALLOW', host)
  const app = await guarded(t, { ...SHIPPED, toolsInclude: ['fetch_page'] })
  const read = (who: string, path: string) =>
    callTool(app, 'fetch_page', { url: url + path }, { headers: as(who, 'web:read') })
  const hers = times(12, () => read('alice', '/endless'))
  await until(() => open.length === MAX_THREADS, 'all threads read')
  await turns()

  const his = read('bob', '/short')
  await turns()
  let ends = 0
  for (; !asked.some(({ path }) => path === '/short'); ends++) {
    const count = open.length
    open[ends]!.end()
    await until(() => open.length > count || asked.some(({ path }) => path === '/short'), 'the next is read')
    await turns()
  }

  t.ok(ends <= 2, `it waited for ${ends}`)
  t.match(await his, { structuredContent: { text: 'short' } })
  for (let index = ends; index < hers.length; index++) {
    await until(() => open.length > index, 'the next is read')
    open[index]!.end()
  }
  for (const result of await Promise.all(hers)) t.match(result, { structuredContent: { text: 'and so on' } })
})
