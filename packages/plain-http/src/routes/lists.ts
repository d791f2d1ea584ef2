// The tools by plain HTTP: all tools, one tool, and the OpenAPI document.
import { createHash } from 'node:crypto'
import type { JsonObject } from 'toolrack'
import { McpError } from 'toolrack/door'
import type { ServerFacts } from 'toolrack/http'
import { getAudience } from 'toolrack/settings'
import { createDocument, type Document, Documents, isSameDocument, toToolInfo, withMembers } from '../listing.ts'
import { createOpenApi, type OpenApiFacts, type OpenApiTool } from '../openapi.ts'
import { assertAccepts, JSON_MEDIA, JSON_TYPE } from '../results.ts'
import { sendUnknownTool } from './calls.ts'
import { type PlainRequest, sendError, serveMethod, toToolUrl } from './exchange.ts'

/** How often a list is read again because it changed between two pages. */
const MAX_RESTARTS = 3

interface SeenTools {
  readonly tools: readonly JsonObject[]
  readonly digest: string
}

type Send = (plain: PlainRequest) => Promise<void>

export function createLists(): Readonly<Record<'list' | 'describe' | 'openApi', Send>> {
  const documents = new Documents()

  const list: Send = async plain => {
    const seen = await readTools(plain)
    if (seen === undefined) return
    const toInfo = (tool: JsonObject) => toToolInfo(tool, toToolUrl(plain.baseUrl, String(tool['name'])))
    sendDocument(
      plain,
      documents.getOrCreate(`tools ${seen.digest}`, () => ({ tools: seen.tools.map(toInfo) })),
    )
  }
  const describe: Send = async plain => {
    const name = plain.params.name!
    const seen = await readTools(plain)
    if (seen === undefined) return
    const tool = seen.tools.find(each => each['name'] === name)
    if (tool === undefined) return sendUnknownTool(plain, name, new McpError('UNKNOWN_TOOL', name))
    sendDocument(plain, createDocument(toToolInfo(tool, toToolUrl(plain.baseUrl, name))))
  }
  const openApi: Send = async plain => {
    const seen = await readTools(plain)
    if (seen === undefined) return
    const tools = findTools(plain, seen)
    const facts = getFacts(plain.facts)
    const key = `openapi ${seen.digest} ${digestUnlisted(tools)} ${facts.tokens?.issuers.join()}`
    const document = documents.getOrCreate(key, () => createOpenApi(tools, facts))
    sendDocument(plain, withMembers(document, { servers: [{ url: getServerUrl(plain) }] }))
  }
  return { list, describe, openApi }
}

function getFacts({ options, authorizationServers: issuers, credentials }: ServerFacts): OpenApiFacts {
  const { settings, identity } = options
  const { name, title, version, description, instructions } = identity
  return {
    title: title ?? name,
    version,
    description: [description, instructions].filter(each => each !== undefined).join('\n\n') || undefined,
    credentials,
    tokens: issuers.length > 0 ? { issuers, audience: getAudience(settings) } : undefined,
  }
}

/** The URL that the client has to use, without a slash at its end. The guards have checked the host. */
function getServerUrl({ facts, request, context }: PlainRequest): string {
  const { origin } = new URL(facts.getClientUrl(request))
  return `${origin}${context.pathPrefix}`
}

/** A tool may be gone since the list was made. */
const findTools = ({ facts }: PlainRequest, { tools }: SeenTools) =>
  tools.flatMap(({ name }) => facts.catalog.tools.find(String(name)) ?? [])

/** Digest of the facts that only the OpenAPI document has, and not `tools/list`. */
function digestUnlisted(tools: readonly OpenApiTool[]): string {
  const unlisted = tools.map(({ scopes, task, hasIdempotency, hasContent }) => [
    scopes,
    task,
    hasIdempotency,
    hasContent,
  ])
  return createHash('sha256').update(JSON.stringify(unlisted)).digest('base64url')
}

/** All pages of `tools/list`. @returns undefined if the reply is sent, or the client has left */
async function readTools(plain: PlainRequest): Promise<SeenTools | undefined> {
  assertAccepts(plain.request.headers.accept, JSON_MEDIA)
  for (let restarts = 0; ; restarts++) {
    const seen = await readPages(plain)
    if (seen === undefined || !('reason' in seen)) return seen
    if (seen.reason === 'METHOD_NOT_FOUND') return { tools: [], digest: '' }
    if (seen.reason === 'INVALID_CURSOR' && restarts < MAX_RESTARTS) continue
    sendError(plain, seen)
    return undefined
  }
}

async function readPages(plain: PlainRequest): Promise<SeenTools | McpError | undefined> {
  const tools: JsonObject[] = []
  let cursor: unknown
  let digest: string
  do {
    const served = await serveMethod(plain, { method: 'tools/list', params: cursor === undefined ? {} : { cursor } })
    if (served?.kind === 'error') return served.error
    if (served?.kind !== 'result') return undefined
    const { result, facts } = served
    tools.push(...(result['tools'] as JsonObject[]))
    cursor = result['nextCursor']
    digest = facts?.listDigest ?? ''
  } while (cursor !== undefined)
  return { tools, digest }
}

function sendDocument(plain: PlainRequest, document: Document): void {
  const { request, reply, context } = plain
  reply
    .header('etag', document.etag)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'Authorization, Origin')
  if (isSameDocument(request.headers['if-none-match'], document)) reply.code(304).send()
  else context.send(reply.type(JSON_TYPE), document.json)
}
