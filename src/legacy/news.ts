// What a session has not been told yet: lists that changed, watched resources that changed. Each once, however often.
// Spec 2025-11-25: server/tools, "List Changed Notification", and server/resources, "Subscriptions".
import type { ListVersions, Session } from '../session.ts'

const LISTS = ['tools', 'prompts', 'resources'] as const

/**
 * The notifications for the client, as JSON; they count as told.
 *
 * @param mayRead whether who reads the stream may know of a resource
 */
export function takeNews(session: Session, versions: ListVersions, mayRead: (uri: string) => boolean): string[] {
  const news =
    session.seen === versions ? [] : LISTS.filter(list => session.seen[list] !== versions[list]).map(listChanged)
  session.seen = versions
  const { subscriptions } = session
  if (subscriptions === undefined) return news
  for (const [uri, isWaiting] of subscriptions) {
    if (!isWaiting) continue
    subscriptions.set(uri, false)
    if (!mayRead(uri)) continue
    news.push(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }))
  }
  return news
}

const listChanged = (list: string) => `{"jsonrpc":"2.0","method":"notifications/${list}/list_changed"}`
