// Revision 2025-06-18: no icons; invalid arguments are a protocol error; questions by form only, in plain fields.
// Spec 2025-06-18: server/tools, client/elicitation, client/sampling. Changes since: 2025-11-25, changelog.
import { isObject, type JsonObject } from '../messages.ts'
import { revision20251125 } from './2025-11-25.ts'
import { all, blocks, byMethod, each, entries, within, without } from './reshape.ts'
import { before, type ClientRequest, type Revision } from './revision.ts'

export const revision20250618: Revision = before(revision20251125, {
  version: '2025-06-18',
  refusesInvalidArguments: true,
  primesStreams: false,
  askable: new Set(['roots', 'sampling', 'elicitation.form']),
  downgrade: byMethod(
    all(entries(without('icons', 'execution')), blocks(without('icons')), {
      initialize: within('serverInfo', without('icons', 'websiteUrl', 'description')),
    }),
  ),
  downgradeQuestion,
})

function downgradeQuestion(question: ClientRequest): ClientRequest {
  const { method, params } = question
  if (params === undefined) return question
  if (method === 'elicitation/create') return { method, params: plainForm(params) }
  if (method === 'sampling/createMessage') return { method, params: singleBlocks(params) }
  return question
}

function plainForm({ mode: _mode, ...params }: JsonObject): JsonObject {
  return within('requestedSchema', schema => {
    const { $schema: _dialect, ...rest } = schema
    return within('properties', fields =>
      Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [name, isObject(field) ? plainField(field) : field]),
      ),
    )(rest)
  })(params)
}

// Titles of choices were `enumNames`; only yes or no could have a default. A choice of several was not foreseen:
// it goes out as it is, and a client that cannot show it declines.
function plainField(field: JsonObject): JsonObject {
  const { oneOf, ...rest } = field
  const plain = rest['type'] === 'boolean' ? rest : without('default')(rest)
  if (!Array.isArray(oneOf)) return plain
  return { ...plain, enum: oneOf.map(choice => choice.const), enumNames: oneOf.map(choice => choice.title) }
}

// A message had one block; several are as many messages of the same role.
function singleBlocks(params: JsonObject): JsonObject {
  const { messages } = params
  if (!Array.isArray(messages)) return params
  const single = messages.flatMap(message =>
    Array.isArray(message.content) ? message.content.map((content: unknown) => ({ ...message, content })) : [message],
  )
  return each('messages', without('_meta'))({ ...params, messages: single })
}
