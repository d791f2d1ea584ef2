// The fixed parts of the OpenAPI document: paths that do not belong to a tool, and their components.
import { MAX_KEY_LENGTH } from 'toolrack/definitions'
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
      mode: { type: 'string', enum: ['form', 'url'] },
      message: TEXT,
      schema: { type: 'object', description: 'JSON Schema of the answer, of a form' },
      url: { ...TEXT, description: 'the page that the user has to open' },
    },
  },
  Answers: {
    type: 'object',
    description:
      'By the key of the question: the fields of its form, { action, content }, or accept, decline or cancel.',
    additionalProperties: {
      anyOf: [{ type: 'object' }, { type: 'string', enum: ['accept', 'decline', 'cancel'] }, { type: 'boolean' }],
    },
  },
  Task: {
    type: 'object',
    required: ['id', 'status', 'url'],
    properties: {
      id: TEXT,
      status: { type: 'string', enum: ['working', 'input_required', 'completed', 'failed', 'cancelled'] },
      message: TEXT,
      createdAt: { type: 'string', format: 'date-time' },
      updatedAt: { type: 'string', format: 'date-time' },
      ttlMs: { type: ['number', 'null'] },
      url: TEXT,
      questions: { type: 'array', items: ref('schemas', 'Question') },
    },
  },
  Content: {
    type: 'object',
    description: 'A content block: a text, an image, audio, a link or a resource.',
    required: ['type'],
    properties: { type: TEXT, text: TEXT, url: TEXT },
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

export const REQUEST_BODIES = {
  Answers: {
    required: true,
    content: json({
      type: 'object',
      properties: { answers: ref('schemas', 'Answers'), state: TEXT, arguments: { type: 'object' } },
      required: ['answers', 'state'],
    }),
  },
}

export const TAGS = [
  { name: 'tools', description: 'Tools that you may call.' },
  { name: 'tasks', description: 'Calls that go on after their first answer.' },
  { name: 'files', description: 'Large files of results.' },
]

export const PROBLEMS = { '4XX': ref('responses', 'Problem'), default: ref('responses', 'Problem') }

const inPath = (name: string) => ({ name, in: 'path', required: true, schema: TEXT })
const ANY_RESULT = { 200: { description: 'The result of the call.', content: json({}) } }

/** Paths that exist whatever the tools are. */
export const LIST_PATHS = {
  '/tools': {
    get: {
      operationId: 'tools.list',
      summary: 'List the tools',
      tags: ['tools'],
      responses: {
        200: {
          description: 'The tools that you may call.',
          content: json({
            type: 'object',
            required: ['tools'],
            properties: { tools: { type: 'array', items: ref('schemas', 'ToolInfo') } },
          }),
        },
        ...PROBLEMS,
      },
    },
  },
  '/tools/files/{id}/{name}': {
    parameters: [inPath('id'), inPath('name')],
    get: {
      operationId: 'files.read',
      summary: 'Read a file of a result',
      tags: ['files'],
      responses: { 200: { description: 'The file.', content: { '*/*': { schema: {} } } }, ...PROBLEMS },
    },
  },
}

/** Paths of calls that continue as tasks. */
export const TASK_PATHS = {
  '/tools/tasks/{id}': {
    parameters: [inPath('id')],
    get: {
      operationId: 'tasks.get',
      summary: 'Poll a task',
      tags: ['tasks'],
      responses: { ...ANY_RESULT, 202: ref('responses', 'Task'), ...PROBLEMS },
    },
    delete: {
      operationId: 'tasks.cancel',
      summary: 'Cancel a task',
      tags: ['tasks'],
      responses: { 204: { description: 'It is to stop.' }, ...PROBLEMS },
    },
  },
  '/tools/tasks/{id}/answers': {
    parameters: [inPath('id')],
    post: {
      operationId: 'tasks.answer',
      summary: 'Answer a task',
      tags: ['tasks'],
      requestBody: {
        required: true,
        content: json({ type: 'object', properties: { answers: ref('schemas', 'Answers') }, required: ['answers'] }),
      },
      responses: { ...ANY_RESULT, 202: ref('responses', 'Task'), ...PROBLEMS },
    },
  },
}
