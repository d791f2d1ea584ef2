// The door for people: a page that calls tools, and shows who called what.
import { isLocalServer } from '../../src/config/doors.ts'
import type { BuiltInDoor } from '../../src/doors/doors.ts'
import { isFromOwnPage } from '../../src/transport/own-page.ts'
import { readInternals } from './internals.ts'

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
  async open(app, context) {
    const { consoleRoutes } = await import('../console.ts')
    await consoleRoutes(app, readInternals(context))
  },
}
