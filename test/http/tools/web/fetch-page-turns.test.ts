// Pages that do not end take the threads of one subject, and of another two of them at most.
import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { MAX_PROCESSES } from '../../../../packages/isolation/src/isolation.ts'
import { callTool } from '../../../support/app.ts'
import { as, guarded } from '../../../support/security/callers.ts'
import { until } from '../../../support/security/hostile.ts'
import { SHIPPED, setting } from '../../../support/tools/shipped.ts'
import { html, site } from '../../../support/tools/web-servers.ts'
import { turns } from '../../../support/turns.ts'

/** More than the tool runs at once. */
const CALLS = 10

/** @returns how many of her pages had to end before his was asked for; undefined where their time was up before that */
async function endsBefore(t: Test): Promise<number | undefined> {
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
  let ended = 0
  const hers = Array.from({ length: CALLS }, () => read('alice', '/endless').finally(() => ended++))
  await until(() => open.length >= MAX_PROCESSES, 'all threads read')
  await turns()

  const his = read('bob', '/short')
  await turns()
  const isAsked = () => asked.some(({ path }) => path === '/short')
  let ends = 0
  while (!isAsked() && ended === ends) {
    const count = open.length
    open[ends++]!.end()
    await until(() => ended >= ends && (open.length > count || isAsked() || ended > ends), 'the next is read')
    await turns()
  }

  const isInTime = ended === ends
  for (const response of open) response.end()
  for (let index = 0; ended < CALLS; index++) {
    await until(() => open.length > index || ended === CALLS, 'the next is read')
    open[index]?.end()
  }
  await Promise.all([his, ...hers])
  return isInTime ? ends : undefined
}

t.test('fetch_page: while one subject reads pages without an end, another waits for two of them at most', async t => {
  let ends: number | undefined
  // A page has 10 s, which a machine that stands still may take from it.
  for (let tries = 0; ends === undefined && tries < 5; tries++) ends = await endsBefore(t)

  t.ok(ends !== undefined && ends <= 2, `it waited for ${ends}`)
})
