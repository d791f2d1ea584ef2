// Revision 2025-11-25: icons, tasks, URL elicitation, multiple choice. Spec 2025-11-25: changelog,
// server/tools, client/elicitation, client/sampling, basic/utilities/tasks.
import { isObject, type JsonObject } from '../messages.ts'
import type { LaterRevision } from './chain.ts'
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

// Older forms have no multiple choice: the client sends one line of text, which is parsed here.

interface Choice {
  readonly value: string
  readonly title: string
}

const isChoiceOfSeveral = ({ type }: JsonObject): boolean => type === 'array'

/** The text field that replaces a multiple choice; its description lists the choices. */
function asTextField({ title, description, items, minItems }: JsonObject): JsonObject {
  const choices = readChoices(items)
  const named = choices.map(({ value, title }) => (title === value ? value : `${value} (${title})`))
  const mark = pickSeparator(choices)
  const hint = `Several of these, with "${mark}" between them: ${named.join(`${mark} `)}`
  return {
    type: 'string',
    ...(title !== undefined && { title }),
    description: description === undefined ? hint : `${description}. ${hint}`,
    ...(Number(minItems) > 0 && { minLength: 1 }),
  }
}

/** Unknown values stay, so that validation rejects them as in any other response. */
function parseChosen({ items }: JsonObject, text: string): string[] {
  const choices = readChoices(items)
  const written = text.split(pickSeparator(choices)).map(part => part.trim())
  return written
    .filter(part => part !== '')
    .map(part => choices.find(({ value, title }) => part === value || part === title)?.value ?? part)
}

function readChoices(items: unknown): Choice[] {
  if (!isObject(items)) return []
  const { enum: values, anyOf: titled } = items
  if (Array.isArray(values)) return values.map(value => ({ value: String(value), title: String(value) }))
  if (!Array.isArray(titled)) return []
  return titled.map(({ const: value, title }) => ({ value: String(value), title: String(title ?? value) }))
}

const pickSeparator = (choices: Choice[]) =>
  choices.some(({ value, title }) => value.includes(',') || title.includes(',')) ? ';' : ','
