// The two kinds of database that the tools know, for tests which say the same of both.
import type { Test } from 'tap'
import { type App, build, callTool } from '../app.ts'
import { type PostgresServer, postgresServer } from '../servers/postgres-server.ts'
import { SHIPPED, setting, toolModule } from './shipped.ts'

/** The tools on the embedded database. One process has one, so tests that need it share a file. */
export async function openEmbedded(t: Test): Promise<{ app: App; server?: undefined }> {
  setting(t, 'DATABASE_URL', undefined)
  return { app: await build(t, SHIPPED) }
}

/** The tools on a server of the test's own, with the same samples. */
export async function openServer(t: Test): Promise<{ app: App; server: PostgresServer }> {
  const server = await sampleServer(t)
  setting(t, 'DATABASE_URL', server.url())
  return { app: await build(t, SHIPPED), server }
}

export async function sampleServer(t: Test): Promise<PostgresServer> {
  const server = await postgresServer(t)
  const { SAMPLES } = await toolModule<{ SAMPLES: string }>('_database/samples.ts')
  await server.sql(SAMPLES)
  return server
}

/** Once, whatever comes of it. */
export const queryOnce = (app: App, text: string, more: object = {}) =>
  callTool(app, 'query_database', { query: text, ...more })

/** Said of what was given up by the clock, as any statement is while the machine stands still. */
const GIVEN_UP = /took longer than 5 s|cannot be reached/

/** What comes of it where there is time for it; of what is too slow each time, that. */
export async function inTime(work: () => ReturnType<typeof callTool>): ReturnType<typeof callTool> {
  for (let tries = 1; ; tries++) {
    const result = await work()
    if (result.isError !== true || !GIVEN_UP.test(result.content[0].text) || tries === 3) return result
  }
}

export const query = (app: App, text: string, more: object = {}) => inTime(() => queryOnce(app, text, more))

export async function rowsOf(app: App, text: string, more: object = {}): Promise<unknown[][]> {
  const result = await query(app, text, more)
  if (result.isError === true) throw new Error(result.content[0].text)
  return result.structuredContent.rows
}
