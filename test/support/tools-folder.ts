// A tools folder somewhere else than this package, and the news that a client gets of it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { defineResource, type ServerOptions } from '../../src/index.ts'
import { type App, call, listening, stream } from './app.ts'
import type { TestReply } from './client/reply.ts'

export type Files = Record<string, string>

export interface TempFolder {
  readonly path: string
  /** Writes files, or with `undefined` takes them away. */
  write(files: Record<string, string | undefined>): void
}

export function tempFolder(t: Test, files: Files = {}, name = 'tools'): TempFolder {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolrack-')))
  t.teardown(() => rmSync(base, { recursive: true, force: true }))
  const path = join(base, name)
  mkdirSync(path)
  const write: TempFolder['write'] = changed => {
    for (const [file, text] of Object.entries(changed)) {
      if (text === undefined) rmSync(join(path, file))
      else {
        mkdirSync(dirname(join(path, file)), { recursive: true })
        writeFileSync(join(path, file), text)
      }
    }
  }
  write(files)
  return { path, write }
}

/** The source of a tool file. */
export function source(name: string, { answer = name, description = `Says ${name}.` } = {}): string {
  return `import { defineTool } from 'toolrack'
export default defineTool({
  name: ${JSON.stringify(name)},
  description: ${JSON.stringify(description)},
  handler: () => ${JSON.stringify(answer)},
})
`
}

export interface Served extends TempFolder {
  readonly app: App
  readonly url: string
  readonly news: TestReply
  /** How many list changes were announced so far. */
  announced(): Promise<number>
}

/** A server of a folder that is read again only when told to, unless `options` say otherwise; and a client that listens. */
export async function serve(t: Test, files: Files, options: ServerOptions = {}): Promise<Served> {
  const folder = tempFolder(t, files)
  return { ...folder, ...(await serveFolder(t, folder.path, options)) }
}

const SENTINEL = 'test://sentinel'
const sentinel = defineResource({ uri: SENTINEL, name: 'sentinel', handler: () => '' })

export async function serveFolder(t: Test, toolsDir: string | readonly string[], options: ServerOptions = {}) {
  const { app, url } = await listening(t, { toolsDir, watchTools: false, resources: [sentinel], ...options })
  const news = await stream(t, url, 'subscriptions/listen', {
    notifications: {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [SENTINEL],
    },
  })
  await news.next(0)
  let sentinels = 0
  const announced = async () => {
    // News comes in order: once the sentinel is there, nothing of before it is missing.
    app.toolrack.resourceUpdated(SENTINEL)
    sentinels++
    const isSentinel = ({ method }: { method?: string }) => method === 'notifications/resources/updated'
    for (let index = 1; news.messages.filter(isSentinel).length < sentinels; index++) await news.next(index)
    return news.messages.filter(({ method }) => method?.endsWith('/list_changed')).length
  }
  return { app, url, news, announced }
}

export async function names(app: App): Promise<string[]> {
  const { result } = await call(app, 'tools/list')
  return result.tools.map(({ name }: { name: string }) => name)
}

export async function answer(app: App, name: string): Promise<string> {
  const { result, error } = await call(app, 'tools/call', { name, arguments: {} })
  return result?.content[0].text ?? error.message
}
