// Revision 2025-11-25: icons, tasks, URL elicitation, multiple choice. Spec 2025-11-25: changelog,
// server/tools, client/elicitation, client/sampling, basic/utilities/tasks.
import { isObject, type JsonObject } from '../messages.ts'
import type { LaterRevision } from './chain.ts'
import { asTextField, isChoiceOfSeveral, parseChosen } from './choice-as-text.ts'
import {
  byMethod,
  inContentBlocks,
  inEach,
  inFormFields,
  inListEntries,
  inMember,
  inSampledBlocks,
  mergeReshapes,
  omit,
  patternInWords,
  pipe,
  textBlock,
} from './reshape.ts'
import type { ClientRequest } from './revision.ts'

export const revision20251125: LaterRevision = {
  version: '2025-11-25',
  adds: ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'],
  facts: {
    refusesInvalidArguments: false,
    hasNullIds: false,
    primesStreams: true,
    tasks: { onRequest: true },
    clientFeatures: new Set([
      'roots',
      'sampling',
      'sampling.tools',
      'sampling.context',
      'elicitation.form',
      'elicitation.url',
    ]),
  },
  downgrade: byMethod(
    mergeReshapes(inListEntries(omit('icons', 'execution')), inContentBlocks(omit('icons')), {
      initialize: pipe(
        inMember('serverInfo', omit('icons', 'websiteUrl', 'description')),
        inMember('capabilities', omit('tasks')),
      ),
    }),
  ),
  downgradeQuestion,
  upgradeAnswer,
}

function downgradeQuestion(question: ClientRequest): ClientRequest {
  const { method } = question
  if (question.params === undefined) return question
  // Older revisions have no `_meta` in these params.
  const params = omit('_meta')(question.params)
  if (method === 'elicitation/create') return { method, params: plainForm(params) }
  if (method === 'sampling/createMessage') return { method, params: singleBlocks(params) }
  return question
}

const plainForm = pipe(omit('mode'), inMember('requestedSchema', omit('$schema')), inFormFields(plainField))

// Older titles of choices are `enumNames`, and only booleans have a default.
function plainField(field: JsonObject): JsonObject {
  if (isChoiceOfSeveral(field)) return asTextField(field)
  const { oneOf, ...rest } = field
  const plain = patternInWords(rest['type'] === 'boolean' ? rest : omit('default')(rest))
  if (!Array.isArray(oneOf)) return plain
  return { ...plain, enum: oneOf.map(choice => choice.const), enumNames: oneOf.map(choice => choice.title) }
}

function upgradeAnswer({ params }: ClientRequest, answer: unknown): unknown {
  const schema = params?.['requestedSchema']
  const fields = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(answer) || !isObject(fields)) return answer
  return inMember('content', content => Object.fromEntries(Object.entries(content).map(read)))(answer)

  function read([name, value]: [string, unknown]): [string, unknown] {
    const field = Object.hasOwn(fields as JsonObject, name) ? (fields as JsonObject)[name] : undefined
    const isWritten = typeof value === 'string' && isObject(field) && isChoiceOfSeveral(field)
    return [name, isWritten ? parseChosen(field, value) : value]
  }
}

// An older message has one block: send several as several messages of the same role.
function singleBlocks(params: JsonObject): JsonObject {
  const { tools: _tools, toolChoice: _choice, ...older } = inSampledBlocks(toolsAsText)(params)
  const { messages } = older
  if (!Array.isArray(messages)) return older
  const single = messages.flatMap(message =>
    Array.isArray(message.content) ? message.content.map((content: unknown) => ({ ...message, content })) : [message],
  )
  return inEach('messages', omit('_meta'))({ ...older, messages: single })
}

const toolsAsText = (block: JsonObject) =>
  block['type'] === 'tool_use' || block['type'] === 'tool_result' ? textBlock(JSON.stringify(block)) : block
