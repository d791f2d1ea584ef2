// Search services of our own, over real sockets, and a server that asks them.
import type { Test } from 'tap'
import { type App, callTool } from '../app.ts'
import { type Answer, serve, setting } from './shipped.ts'
import { type Site, site } from './web-servers.ts'

export const KEY = 'BSA-kanarienvogel-4711'
const BRAVE_PATH = '/res/v1/web/search'

interface Searching extends Site {
  app: App
  search(args?: object): Promise<Awaited<ReturnType<typeof callTool>>>
}

export async function searching(
  t: Test,
  answers: Record<string, Answer>,
  settings: (url: string) => Record<string, string>,
) {
  const service = await site(t, answers)
  const all = { SEARCH_URL: undefined, BRAVE_API_KEY: undefined, BRAVE_API_URL: undefined, ...settings(service.url) }
  for (const [name, value] of Object.entries(all)) setting(t, name, value)
  const app = await serve(t, 'web_search')
  const search = (args = {}) => callTool(app, 'web_search', { query: 'canal herons', ...args })
  return { ...service, app, search } satisfies Searching
}

export const withSearxng = (t: Test, answer: Answer) =>
  searching(t, { '/search': answer }, url => ({ SEARCH_URL: url }))
export const withBrave = (t: Test, answer: Answer) =>
  searching(t, { [BRAVE_PATH]: answer }, url => ({ BRAVE_API_KEY: KEY, BRAVE_API_URL: url }))
