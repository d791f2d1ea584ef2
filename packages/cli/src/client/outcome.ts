// The document of `--json` instead of a result: one for each kind of failure.
import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client'
import type { JsonObject } from 'toolrack'
import { parseWritten } from 'toolrack/plain-results'
import { isObject } from 'toolrack/protocol'
import { CommandError, formatError, InterruptedError, UnansweredError } from '../errors.ts'
import type { Io } from '../io.ts'
import { readWrittenData } from './written.ts'

/** The command has failed, and stdout already says everything. */
export class PrintedError extends CommandError {
  override name = 'PrintedError'
}

/** @throws the errors of the work; they go to stderr as text */
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
  // Only for a bug does stderr have more than the message.
  const message = error instanceof CommandError ? formatError(error) : (error as Error).message
  return { error: findRefusal(error) ?? { message } }
}

/** The error that the server answered with. */
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
