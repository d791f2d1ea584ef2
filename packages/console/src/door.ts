// The door for people: a page that calls tools, and shows who called what.
import { type BuiltInDoor, isFromOwnPage } from 'toolrack/http'
import { isLocalServer } from 'toolrack/settings'

export const CONSOLE: BuiltInDoor = {
  name: 'console',
  setting: 'CONSOLE',
  title: 'the console',
  paths: ['/console', '/console/'],
  isExplained: true,
  isOpen: (settings, hostKind) => settings.console ?? isLocalServer(settings, hostKind),
  /** Without access control, anybody could read the recent calls of all. */
  needsAccessControl: settings => settings.console === true,
  describe(base) {
    const text = `${base}/console/`
    return [{ name: 'console', on: text, shown: { noun: 'Console', text } }]
  },
  describeClosed: () => [
    {
      name: 'console',
      hint: 'CONSOLE=true turns it on, to call tools from a browser',
      shown: { noun: 'Off', text: 'console' },
    },
  ],
  hasSent: isFromOwnPage,
  async renderPage(request, facts) {
    // Loaded here, since most servers never show the page.
    const { renderPage } = await import('./routes/page.ts')
    return renderPage(request, facts)
  },
  async open(app, context, { facts, work }) {
    const { consoleRoutes } = await import('./routes/console.ts')
    consoleRoutes(app, context, { facts, work })
  },
}
