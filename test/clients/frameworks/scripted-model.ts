// A model of the AI SDK's kind that calls one tool, and then ends with a word; AI SDK, Mastra and Strands run it.
import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

type Part = { type: 'tool-call'; toolCallId: string; toolName: string; input: string } | { type: 'text'; text: string }

const toGenerated = (part: Part) => ({ content: [part], finishReason: reasonFor(part), usage, warnings: [] })

function toStreamed(part: Part) {
  const parts =
    part.type === 'tool-call'
      ? [part]
      : [
          { type: 'text-start' as const, id: '1' },
          { type: 'text-delta' as const, id: '1', delta: part.text },
          { type: 'text-end' as const, id: '1' },
        ]
  const start = { type: 'stream-start' as const, warnings: [] }
  return {
    stream: convertArrayToReadableStream([
      start,
      ...parts,
      { type: 'finish' as const, finishReason: reasonFor(part), usage },
    ]),
  }
}

function reasonFor({ type }: Part) {
  const unified = type === 'tool-call' ? ('tool-calls' as const) : ('stop' as const)
  return { unified, raw: unified }
}

/** Its prompts are in `doGenerateCalls`, or `doStreamCalls`. */
export function scriptedModel(toolName: string, args: Record<string, unknown>): MockLanguageModelV3 {
  const script: Part[] = [
    { type: 'tool-call', toolCallId: 'call-1', toolName, input: JSON.stringify(args) },
    { type: 'text', text: 'done' },
  ]
  return new MockLanguageModelV3({ doGenerate: script.map(toGenerated), doStream: script.map(toStreamed) })
}

/** The latest message that the model was sent: the result of its tool call. */
export const lastMessage = ({ doGenerateCalls, doStreamCalls }: MockLanguageModelV3): string =>
  JSON.stringify([...doGenerateCalls, ...doStreamCalls].at(-1)!.prompt.at(-1))
