// github_create_issue: clients that leave before they have their issue.
import http from 'node:http'
import t from 'tap'
import { listening, request } from '../../../support/app.ts'
import { CALL, github } from '../../../support/tools/github-service.ts'
import { only } from '../../../support/tools/shipped.ts'

const NAME = 'github_create_issue'

t.test(
  'github_create_issue: one of two clients leaves, and the other has its issue; both leave, and the request ends',
  async t => {
    const service = await github(t)
    const { url } = await listening(t, await only(NAME))
    let [asked, hungUp] = [Promise.withResolvers<() => void>(), Promise.withResolvers<void>()]
    const list = service.list
    service.list = (incoming, response) => {
      response.on('close', () => hungUp.resolve())
      asked.resolve(() => list(incoming, response))
    }
    const send = () => {
      const { message, headers } = request('tools/call', { name: NAME, arguments: CALL })
      const { host: _, ...rest } = headers
      const sent = http.request(url, { method: 'POST', headers: rest, agent: false }).on('error', () => {})
      sent.end(JSON.stringify(message))
      return sent
    }

    const leaving = send()
    const staying = send()
    const answered = new Promise<string>(resolve => {
      staying.on('response', async response => resolve(String((await response.toArray()).join(''))))
    })
    const answer = await asked.promise
    // Both are there: health answers after what came before it.
    await fetch(url.replace('/mcp', '/health'))
    leaving.destroy()
    await fetch(url.replace('/mcp', '/health'))
    answer()
    t.match(JSON.parse(await answered).result.structuredContent, { number: 1347 })

    hungUp = Promise.withResolvers()
    asked = Promise.withResolvers()
    service.issues.splice(0)
    const { url: second } = await listening(t, await only(NAME))
    const { message, headers } = request('tools/call', { name: NAME, arguments: CALL })
    const { host: _, ...rest } = headers
    const alone = http.request(second, { method: 'POST', headers: rest, agent: false }).on('error', () => {})
    alone.end(JSON.stringify(message))
    await asked.promise
    alone.destroy()
    await hungUp.promise
    t.equal(service.posts, 1)
  },
)
