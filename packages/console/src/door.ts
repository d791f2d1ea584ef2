// The door for people: a page that calls tools, and shows who called what.
import { type BuiltInDoor, isFromOwnPage, readInternals } from 'toolrack/http'
import { isLocalServer } from 'toolrack/settings'

export const CONSOLE: BuiltInDoor = {
  name: 'console',
  setting: 'CONSOLE',
  title: 'the console',
  paths: ['/console', '/console/'],
  isExplained: true,
  isOpen: (settings, hostKind) => settings.console ?? isLocalServer(settings, hostKind),
  /** Anybody could read the recent calls of all. */
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
  async servePage(request, reply, context) {
    // Loaded here, since most servers never show it.
    const { servePage } = await import('./routes/page.ts')
    return servePage({ request, ...readInternals(context) }, reply)
  },
  async open(app, context) {
    const { consoleRoutes } = await import('./routes/console.ts')
    await consoleRoutes(app, readInternals(context))
  },
}
