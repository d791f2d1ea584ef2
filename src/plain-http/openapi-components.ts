// The fixed parts of the OpenAPI document: the paths beside the tools', and what they refer to.
import type { JsonObject } from '../protocol/messages.ts'
import { MAX_KEY_LENGTH } from '../registry/idempotency-key.ts'
import { PROBLEM_TYPE } from './problems.ts'

export const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })
export const json = (schema: unknown) => ({ 'application/json': { schema } })

const TEXT = { type: 'string' }
const problem = (description: string, schema: unknown) => ({ description, content: { [PROBLEM_TYPE]: { schema } } })

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: TEXT,
    status: { type: 'integer' },
    detail: TEXT,
    instance: { type: 'string', format: 'uri' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: { pointer: { ...TEXT, description: 'RFC 6901, as a fragment' }, detail: TEXT },
      },
    },
  },
}

export const OWN_SCHEMAS = {
  Problem: PROBLEM,
  Question: {
    type: 'object',
    required: ['key', 'mode', 'message'],
    properties: {
      key: TEXT,
      mode: { enum: ['form', 'url'] },
      message: TEXT,
      schema: { type: 'object', description: 'JSON Schema of the answer, of a form' },
      url: { ...TEXT, description: 'the page that the user has to open' },
    },
  },
  Answers: {
    type: 'object',
    description:
      'By the key of the question: the fields of its form, { action, content }, or accept, decline or cancel.',
    additionalProperties: { anyOf: [{ type: 'object' }, { enum: ['accept', 'decline', 'cancel', true, false] }] },
  },
  Task: {
    type: 'object',
    required: ['id', 'status', 'url'],
    properties: {
      id: TEXT,
      status: { enum: ['working', 'input_required', 'completed', 'failed', 'cancelled'] },
      message: TEXT,
      createdAt: { type: 'string', format: 'date-time' },
      updatedAt: { type: 'string', format: 'date-time' },
      ttlMs: { type: ['number', 'null'] },
      url: TEXT,
      questions: { type: 'array', items: ref('schemas', 'Question') },
    },
  },
  ToolInfo: {
    type: 'object',
    required: ['name', 'inputSchema', 'url'],
    properties: {
      name: TEXT,
      title: TEXT,
      description: TEXT,
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: { type: 'object' },
      url: TEXT,
    },
  },
}

export const RESPONSES = {
  Problem: problem('What went wrong.', ref('schemas', 'Problem')),
  Question: problem('The tool asks. Send the answers to the URL in `answer`.', {
    allOf: [
      ref('schemas', 'Problem'),
      {
        type: 'object',
        properties: { questions: { type: 'array', items: ref('schemas', 'Question') }, answer: { type: 'object' } },
      },
    ],
  }),
  Task: {
    description: 'The call goes on as a task.',
    headers: {
      Location: { description: 'The task.', schema: TEXT },
      'Retry-After': { description: 'When to ask again, s.', schema: { type: 'integer' } },
    },
    content: json(ref('schemas', 'Task')),
  },
}

export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A key of your own for this call. The same key and arguments again get the first result.',
    schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`respond-async`: the call becomes a task (RFC 7240).',
    schema: TEXT,
  },
}

const inPath = (name: string) => ({ name, in: 'path', required: true, schema: TEXT })
const answers = (properties: JsonObject, required: readonly string[]) => ({
  required: true,
  content: json({ type: 'object', properties: { answers: ref('schemas', 'Answers'), ...properties }, required }),
})
const DEFAULT = { default: ref('responses', 'Problem') }
const ANY_RESULT = { 200: { description: 'The result of the call.', content: json({}) } }

export const OWN_PATHS = {
  '/tools': {
    get: {
      operationId: 'tools/list',
      responses: {
        200: {
          description: 'The tools that you may call.',
          content: json({
            type: 'object',
            required: ['tools'],
            properties: { tools: { type: 'array', items: ref('schemas', 'ToolInfo') } },
          }),
        },
        ...DEFAULT,
      },
    },
  },
  '/tools/{name}': {
    parameters: [inPath('name')],
    get: {
      operationId: 'tools/get',
      responses: { 200: { description: 'One of them.', content: json(ref('schemas', 'ToolInfo')) }, ...DEFAULT },
    },
  },
  '/tools/{name}/answers': {
    parameters: [inPath('name')],
    post: {
      operationId: 'tools/answer',
      description: 'Repeats a call with the answers to its questions.',
      requestBody: answers({ state: TEXT, arguments: { type: 'object' } }, ['answers', 'state']),
      responses: { ...ANY_RESULT, 409: ref('responses', 'Question'), ...DEFAULT },
    },
  },
  '/tools/tasks/{id}': {
    parameters: [inPath('id')],
    get: { operationId: 'tasks/get', responses: { ...ANY_RESULT, 202: ref('responses', 'Task'), ...DEFAULT } },
    delete: { operationId: 'tasks/cancel', responses: { 204: { description: 'It is to stop.' }, ...DEFAULT } },
  },
  '/tools/tasks/{id}/answers': {
    parameters: [inPath('id')],
    post: {
      operationId: 'tasks/answer',
      requestBody: answers({}, ['answers']),
      responses: { 202: ref('responses', 'Task'), ...DEFAULT },
    },
  },
  '/tools/files/{id}/{name}': {
    parameters: [inPath('id'), inPath('name')],
    get: {
      operationId: 'files/read',
      responses: { 200: { description: 'The file.', content: { '*/*': { schema: {} } } }, ...DEFAULT },
    },
  },
}
