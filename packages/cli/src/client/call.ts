// `toolrack call`: finds the tool, types its arguments, checks them, calls it and prints the result.
import type { CallToolResult, ElicitRequestParams, Tool } from '@modelcontextprotocol/client'
import { withLocalReferences } from '@toolrack/json-schema/local-references'
import type { JsonObject } from 'toolrack'
import { toVisibleLine } from 'toolrack/text'
import { CommandError, UsageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { parseArgumentObject, readStdin } from './arguments.ts'
import { completeArguments } from './complete-arguments.ts'
import { offers } from './connect.ts'
import { createUnknown } from './nearest.ts'
import { printOutcome } from './outcome.ts'
import { assertOutput } from './output.ts'
import { printResult, type ResultOptions } from './result.ts'
import {
  answerQuestion,
  noteEntry,
  readWords,
  runSession,
  type Session,
  type SessionOptions,
  sendRequest,
  toOwnOptions,
} from './session.ts'
import { ANY_RESULT, findTask, followTask } from './tasks.ts'

interface CallOptions extends SessionOptions, ResultOptions {
  readonly args?: string
}

export const runCall = (words: readonly string[], options: CallOptions, io: Io): Promise<void> =>
  printOutcome(options.json, io, () => call(words, options, io))

async function call(words: readonly string[], options: CallOptions, io: Io): Promise<void> {
  const { url, name, rest } = readWords('call', words)
  if (name === undefined) throw new UsageError('the name of the tool is missing; toolrack list shows all')
  assertOutput(options, io)
  const base = await readBase(rest.includes('-'), options.args)
  await runSession(url, options, io, async session => {
    const tool = await findTool(name, session)
    const args = await completeArguments(tool, rest, base, session)
    const result = await callTool(tool, args, session)
    session.line.clear()
    await printResult(session, result, options)
  })
}

async function readBase(isStdin: boolean, args: string | undefined): Promise<JsonObject> {
  const fromStdin = isStdin ? parseArgumentObject('stdin', await readStdin(process.stdin)) : {}
  return { ...fromStdin, ...(args === undefined ? {} : parseArgumentObject('--args', args)) }
}

async function findTool(name: string, session: Session): Promise<Tool> {
  const { client } = session
  const { tools } = offers(client, 'tools') ? await client.listTools(undefined, toOwnOptions(session)) : { tools: [] }
  const found = tools.find(tool => tool.name === name)
  if (found !== undefined) return withLocalReferences(found)
  throw createUnknown({ kind: 'tool', name, names: tools.map(tool => tool.name), list: 'toolrack list' })
}

async function callTool(tool: Tool, args: JsonObject, session: Session): Promise<CallToolResult> {
  const { client, line, stopper, target } = session
  // Older revisions have tasks on request. Only a tool that requires a task is called so.
  const isTask = client.getProtocolEra() !== 'modern' && tool.execution?.taskSupport === 'required'
  const result = await sendRequest(session, ({ meta, options }) => {
    const params = { name: tool.name, arguments: args, ...meta }
    return isTask
      ? client.request({ method: 'tools/call', params: { ...params, task: {} } }, ANY_RESULT, options)
      : client.callTool(params, options)
  })
  const task = findTask(result as JsonObject)
  if (task === undefined) return result as CallToolResult
  return followTask(client, task, {
    signal: stopper.signal,
    timeoutMs: target.timeoutMs,
    onProgress: progress => line.update(progress),
    onLog: entry => noteEntry(entry, session),
    answer: request => answerRequest(request, session),
  })
}

async function answerRequest({ method, params }: JsonObject, session: Session): Promise<unknown> {
  if (method === 'elicitation/create') return answerQuestion(params as ElicitRequestParams, session)
  throw new CommandError(`the task asks for ${toVisibleLine(String(method))}, which a terminal cannot give`)
}
