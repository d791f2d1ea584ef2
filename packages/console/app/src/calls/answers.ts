// The questions of a tool and the user's answers, read from the raw messages of its call.
import { isObject, type JsonObject, type RawMessage } from '../client/json-rpc.ts'

export interface Asked {
  readonly message: string
  /** The user answers Yes or No, since the schema has no fields. */
  readonly isYesNo: boolean
}

export interface Answer {
  readonly question: Asked
  readonly action: 'accept' | 'decline' | 'cancel'
}

type Questions = Readonly<Record<string, Asked>>

const METHODS = ['elicitation/create', 'sampling/createMessage']

/** Spec 2026-07-28: `inputRequests` of a result; before: a request of the server. */
export function readQuestions({ id, method, params, result }: RawMessage): Questions {
  if (method !== undefined) {
    return id !== undefined && METHODS.includes(method) ? { [id]: toAsked(params) } : {}
  }
  const requests = result?.['inputRequests']
  if (!isObject(requests)) return {}
  const known = Object.entries(requests).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
  return Object.fromEntries(known.map(([key, each]) => [key, toAsked(each['params'])]))
}

function toAsked(params: unknown): Asked {
  const { message, mode, requestedSchema } = isObject(params) ? params : {}
  const properties = isObject(requestedSchema) ? requestedSchema['properties'] : undefined
  const isForm = mode !== 'url' && isObject(requestedSchema)
  const isYesNo = isForm && (!isObject(properties) || Object.keys(properties).length === 0)
  return { message: typeof message === 'string' ? message : '', isYesNo }
}

/**
 * The user's answer in a message of the page: `inputResponses`, or the result of the server's
 * request; an error declines.
 */
export function readAnswer({ id, params, result, error }: RawMessage, asked: Questions = {}): Answer | undefined {
  const responses = params?.['inputResponses']
  const answers = isObject(responses)
    ? Object.entries(responses)
    : [[String(id), error === undefined ? result : { action: 'decline' }] as const]
  return answers
    .map(([key, answer]) => toAnswer(Object.hasOwn(asked, key) ? asked[key] : undefined, answer))
    .findLast(Boolean)
}

function toAnswer(question: Asked | undefined, answer: unknown): Answer | undefined {
  const action = isObject(answer) ? answer['action'] : undefined
  if (question === undefined || (action !== 'accept' && action !== 'decline' && action !== 'cancel')) return undefined
  return { question, action }
}
