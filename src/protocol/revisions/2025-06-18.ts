// Revision 2025-06-18: no icons; invalid arguments are a protocol error; questions by form only, in plain fields.
// Spec 2025-06-18: server/tools, client/elicitation, client/sampling. Changes since: 2025-11-25, changelog.
import { isObject, type JsonObject } from '../messages.ts'
import { revision20251125 } from './2025-11-25.ts'
import { asTextField, chosenOf, isChoiceOfSeveral } from './choices.ts'
import {
  all,
  blocks,
  byMethod,
  each,
  entries,
  fields,
  patternInWords,
  pipe,
  sampledBlocks,
  textBlock,
  within,
  without,
} from './reshape.ts'
import { before, type ClientRequest, type Revision } from './revision.ts'

export const revision20250618: Revision = before(revision20251125, {
  version: '2025-06-18',
  refusesInvalidArguments: true,
  tasks: undefined,
  methods: new Set([...revision20251125.methods].filter(method => !method.startsWith('tasks/'))),
  primesStreams: false,
  askable: new Set(['roots', 'sampling', 'sampling.context', 'elicitation.form']),
  downgrade: byMethod(
    all(entries(without('icons', 'execution')), blocks(without('icons')), {
      initialize: pipe(
        within('serverInfo', without('icons', 'websiteUrl', 'description')),
        within('capabilities', without('tasks')),
      ),
    }),
  ),
  downgradeQuestion,
  upgradeAnswer,
})

function downgradeQuestion(question: ClientRequest): ClientRequest {
  const { method } = question
  if (question.params === undefined) return question
  // What else they hold, none of them names.
  const params = without('_meta')(question.params)
  if (method === 'elicitation/create') return { method, params: plainForm(params) }
  if (method === 'sampling/createMessage') return { method, params: singleBlocks(params) }
  return question
}

const plainForm = pipe(without('mode'), within('requestedSchema', without('$schema')), fields(plainField))

// Titles of choices were `enumNames`, only yes or no could have a default, and one choice could not be several.
function plainField(field: JsonObject): JsonObject {
  if (isChoiceOfSeveral(field)) return asTextField(field)
  const { oneOf, ...rest } = field
  const plain = patternInWords(rest['type'] === 'boolean' ? rest : without('default')(rest))
  if (!Array.isArray(oneOf)) return plain
  return { ...plain, enum: oneOf.map(choice => choice.const), enumNames: oneOf.map(choice => choice.title) }
}

function upgradeAnswer({ params }: ClientRequest, answer: unknown): unknown {
  const schema = params?.['requestedSchema']
  const fields = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(answer) || !isObject(fields)) return answer
  return within('content', content => Object.fromEntries(Object.entries(content).map(read)))(answer)

  function read([name, value]: [string, unknown]): [string, unknown] {
    const field = Object.hasOwn(fields as JsonObject, name) ? (fields as JsonObject)[name] : undefined
    const isWritten = typeof value === 'string' && isObject(field) && isChoiceOfSeveral(field)
    return [name, isWritten ? chosenOf(field, value) : value]
  }
}

// A message had one block, and none was of tools; several are as many messages of the same role.
function singleBlocks(params: JsonObject): JsonObject {
  const { tools: _tools, toolChoice: _choice, ...older } = sampledBlocks(toolsAsText)(params)
  const { messages } = older
  if (!Array.isArray(messages)) return older
  const single = messages.flatMap(message =>
    Array.isArray(message.content) ? message.content.map((content: unknown) => ({ ...message, content })) : [message],
  )
  return each('messages', without('_meta'))({ ...older, messages: single })
}

const toolsAsText = (block: JsonObject) =>
  block['type'] === 'tool_use' || block['type'] === 'tool_result' ? textBlock(JSON.stringify(block)) : block
