// `toolrack prompt`: finds the prompt, checks its arguments, gets its messages and prints them by role.
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/client'
import { UsageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { completeArguments } from './complete-arguments.ts'
import { offers } from './connect.ts'
import { createUnknown } from './nearest.ts'
import { printOutcome } from './outcome.ts'
import { printParts } from './result.ts'
import { readWords, runSession, type Session, type SessionOptions, sendRequest, toOwnOptions } from './session.ts'
import { readWritten } from './written.ts'

interface PromptOptions extends SessionOptions {
  readonly json?: boolean
}

export const runPrompt = (words: readonly string[], options: PromptOptions, io: Io): Promise<void> =>
  printOutcome(options.json, io, () => getPrompt(words, options, io))

async function getPrompt(words: readonly string[], options: PromptOptions, io: Io): Promise<void> {
  const { url, name, rest } = readWords('prompt', words)
  if (name === undefined) throw new UsageError('the name of the prompt is missing; toolrack list --prompts shows all')
  await runSession(url, options, io, async session => {
    const found = await findPrompt(name, session)
    const args = (await completeArguments(found, rest, {}, session)) as Record<string, string>
    const received = await sendRequest(session, parts =>
      session.client.getPrompt({ name, arguments: args, ...parts.meta }, parts.options),
    )
    session.line.clear()
    const { description, messages } = readWritten(received)
    if (options.json) io.printJson({ description, messages })
    else await printMessages(messages, session)
  })
}

async function findPrompt(name: string, session: Session) {
  const { client } = session
  const { prompts } = offers(client, 'prompts')
    ? await client.listPrompts(undefined, toOwnOptions(session))
    : { prompts: [] }
  const found = prompts.find(prompt => prompt.name === name)
  if (found !== undefined) return { name, inputSchema: toSchema(found) }
  throw createUnknown({
    kind: 'prompt',
    name,
    names: prompts.map(prompt => prompt.name),
    list: 'toolrack list --prompts',
  })
}

/** Arguments of prompts are texts. */
const toSchema = ({ arguments: args = [] }: Prompt) => ({
  type: 'object',
  properties: Object.fromEntries(args.map(({ name, description }) => [name, { type: 'string', description }])),
  required: args.filter(({ required }) => required).map(({ name }) => name),
  additionalProperties: false,
})

/** If there is only one message, prints just its content, for a pipe. */
async function printMessages(messages: GetPromptResult['messages'], session: Session): Promise<void> {
  const { io } = session
  for (const [index, { role, content }] of messages.entries()) {
    if (messages.length > 1) io.print(`${index === 0 ? '' : '\n'}${io.paint('bold', `${role}:`)}`)
    await printParts(session, { content: [content] }, { isAlone: messages.length === 1, hint: '--json has it' })
  }
}
