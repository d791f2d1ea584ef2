// A client of a session with an app of the test.
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { type App, build, listening } from '../app.ts'
import { initialize, McpTestClient, NEWEST, type Opening, sessionIdOf } from './client.ts'
import type { TestReply } from './reply.ts'
import { inject } from './transport.ts'

export class AppClient extends McpTestClient {
  readonly app: App
  /** The answer of `initialize`. */
  readonly opened: TestReply

  /** @param session another client of the session */
  constructor(t: Test, app: App, session: Pick<AppClient, 'id' | 'revision' | 'opened'>) {
    super(inject(app, t), { revision: session.revision, sessionId: session.id })
    this.app = app
    this.opened = session.opened
  }
}

/** A session of an app; in the newest revision with a handshake, by a client that can be asked everything. */
export async function open(t: Test, app: App, opening: Opening = {}): Promise<AppClient> {
  const { revision = NEWEST } = opening
  const opened = await initialize(inject(app), opening)
  const client = new AppClient(t, app, { revision, opened, id: sessionIdOf(opened) })
  await client.notify('notifications/initialized')
  return client
}

/** A session of a server that is reached through `inject` only. */
export async function session(t: Test, options: ServerOptions = {}, opening?: Opening): Promise<AppClient> {
  return open(t, await build(t, options), opening)
}

/** A session of a server that listens. */
export async function connected(t: Test, options: ServerOptions = {}, opening?: Opening): Promise<AppClient> {
  const { app } = await listening(t, options)
  return open(t, app, opening)
}
