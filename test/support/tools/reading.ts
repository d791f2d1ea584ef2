// A site, and a server whose fetch_page may read it.
import type { Test } from 'tap'
import { callTool } from '../app.ts'
import { type Answer, serve, setting } from './shipped.ts'
import { site } from './web-servers.ts'

/** Serves pages, and a server that may read them. @returns how to read one */
export async function reading(t: Test, answers: Record<string, Answer>) {
  const { url, host, asked } = await site(t, answers)
  setting(t, 'FETCH_ALLOW', host)
  const app = await serve(t, 'fetch_page')
  return { url, asked, app, read: (path = '/', args = {}) => callTool(app, 'fetch_page', { url: url + path, ...args }) }
}
