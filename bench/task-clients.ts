// Clients of the two revisions with tasks: each creates a task, polls it and cancels it.
import http from 'node:http'

export interface Task {
  readonly taskId: string
  readonly status: string
}

export interface TaskClient {
  begin(name: string, args: object): Promise<Task>
  get(taskId: string): Promise<Task>
  cancel(taskId: string): Promise<void>
  close(): void
}

const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const MODERN = '2026-07-28'
const LEGACY = '2025-11-25'
const INFO = { name: 'bench', version: '1.0.0' }
const SOCKETS = 64

interface Answer {
  readonly headers: http.IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: the server is our own
  readonly result: any
}

function poster(url: string) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: SOCKETS })
  const post = (headers: Record<string, string>, message: object) =>
    new Promise<Answer>((resolve, reject) => {
      const request = http.request(`${url}/mcp`, { method: 'POST', agent, headers: { ...TYPES, ...headers } })
      request.on('error', reject).on('response', response => {
        let text = ''
        response.setEncoding('utf8').on('data', chunk => (text += chunk))
        response.on('error', reject).on('end', () => {
          const { result, error } = text === '' ? { result: {}, error: undefined } : JSON.parse(text)
          if (error === undefined) resolve({ headers: response.headers, result })
          else reject(new Error(`${response.statusCode} ${error.code} ${error.message}`))
        })
      })
      request.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
    })
  return { post, close: () => agent.destroy() }
}

export function modernClient(url: string): TaskClient {
  const { post, close } = poster(url)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  }
  const call = async (method: string, name: string, params: object) => {
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': method, 'mcp-name': name }
    return (await post(headers, { id: 1, method, params: { ...params, _meta } })).result
  }
  return {
    begin: (name, args) => call('tools/call', name, { name, arguments: args }),
    get: taskId => call('tasks/get', taskId, { taskId }),
    cancel: taskId => call('tasks/cancel', taskId, { taskId }),
    close,
  }
}

export async function legacyClient(url: string): Promise<TaskClient> {
  const { post, close } = poster(url)
  const hello = { protocolVersion: LEGACY, capabilities: {}, clientInfo: INFO }
  const opened = await post({}, { id: 1, method: 'initialize', params: hello })
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']), 'mcp-protocol-version': LEGACY }
  let ids = 0
  const call = async (method: string, params: object) => (await post(headers, { id: ++ids, method, params })).result
  return {
    begin: async (name, args) => (await call('tools/call', { name, arguments: args, task: {} })).task,
    get: taskId => call('tasks/get', { taskId }),
    cancel: taskId => call('tasks/cancel', { taskId }),
    close,
  }
}
