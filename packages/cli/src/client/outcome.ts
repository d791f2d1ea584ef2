// The document of `--json` in place of a result: one for each way to fail.
import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client'
import type { JsonObject } from 'toolrack'
import { parseWritten } from 'toolrack/plain-results'
import { isObject } from 'toolrack/protocol'
import { CommandError, formatError, InterruptedError, UnansweredError } from '../errors.ts'
import type { Io } from '../io.ts'
import { readWrittenData } from './written.ts'

/** The command has failed, and stdout has all that there is to say. */
export class PrintedError extends CommandError {
  override name = 'PrintedError'
}

/** @throws whatever the work throws, which goes to stderr as text */
export async function printOutcome(isJson: boolean | undefined, io: Io, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isPrinted = [PrintedError, InterruptedError].some(kind => error instanceof kind)
    if (isJson && !isPrinted) io.printJson(describeError(error))
    throw error
  }
}

function describeError(error: unknown): JsonObject {
  if (error instanceof UnansweredError) return { questions: error.questions }
  // Only of a bug stderr has more than the message.
  const message = error instanceof CommandError ? formatError(error) : (error as Error).message
  return { error: findRefusal(error) ?? { message } }
}

/** What the server answered in place of a result. */
function findRefusal(error: unknown): JsonObject | undefined {
  if (error instanceof ProtocolError) {
    const { code, message } = error
    const data = readWrittenData(error.data)
    return { code, message, ...(data !== undefined && { data }) }
  }
  if (error instanceof SdkHttpError) return findBodyError(error.data)
  const { cause } = Object(error) as { cause?: unknown }
  return cause === undefined ? undefined : findRefusal(cause)
}

/** Refusals of newer revisions are HTTP errors with a body. */
function findBodyError(data: unknown): JsonObject | undefined {
  try {
    const body = parseWritten((data as { text: string }).text)
    return isObject(body) && isObject(body['error']) ? body['error'] : undefined
  } catch {
    return undefined
  }
}
