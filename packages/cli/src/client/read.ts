// `toolrack read`: reads a resource and prints its text, its bytes, or the path of the saved file.
import { ProtocolError, type ReadResourceResult } from '@modelcontextprotocol/client'
import { UsageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { offers } from './connect.ts'
import { createUnknown } from './nearest.ts'
import { printOutcome } from './outcome.ts'
import { assertOutput } from './output.ts'
import { printParts, type ResultOptions, saveFiles } from './result.ts'
import { runSession, type Session, type SessionOptions, sendRequest, toOwnOptions } from './session.ts'
import { readWritten } from './written.ts'

type ReadOptions = SessionOptions & ResultOptions

export const runRead = (words: readonly (string | undefined)[], options: ReadOptions, io: Io): Promise<void> =>
  printOutcome(options.json, io, () => read(words, options, io))

async function read([first, second]: readonly (string | undefined)[], options: ReadOptions, io: Io): Promise<void> {
  const [url, uri] = second === undefined ? [undefined, first] : [first, second]
  if (uri === undefined) throw new UsageError('the URI of the resource is missing; toolrack list --resources shows all')
  const { output, json = false } = options
  assertOutput(options, io)
  await runSession(url, options, io, async session => {
    const { contents } = readWritten(await readResource(uri, session))
    session.line.clear()
    if (json) io.printJson({ contents })
    const result = { content: contents.map(resource => ({ type: 'resource' as const, resource })) }
    if (output !== undefined) await saveFiles(session, result, output, json)
    else if (!json) await printParts(session, result)
  })
}

/** @throws UsageError with the URI that the user probably means */
async function readResource(uri: string, session: Session): Promise<ReadResourceResult> {
  const { client } = session
  const unknown = { kind: 'resource', name: uri, list: LIST } as const
  // Such a server would answer that its path has nothing.
  if (!offers(client, 'resources')) throw createUnknown({ ...unknown, names: [] })
  try {
    return await sendRequest(session, ({ meta, options }) => client.readResource({ uri, ...meta }, options))
  } catch (error) {
    if (!(error instanceof ProtocolError) || !NOT_FOUND.includes(error.code)) throw error
    throw createUnknown({ ...unknown, names: await listUris(session) }, error)
  }
}

/** The codes of 2026-07-28, and of the revisions before. */
const NOT_FOUND: readonly number[] = [-32602, -32002]
const LIST = 'toolrack list --resources'

/** Without URIs of templates, since those can be anything. */
async function listUris(session: Session): Promise<readonly string[]> {
  const { client } = session
  const { resources } = await client.listResources(undefined, toOwnOptions(session)).catch(() => ({ resources: [] }))
  return resources.map(({ uri }) => uri)
}
