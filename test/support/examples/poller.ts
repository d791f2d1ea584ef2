import { defineResource, defineTool, type ToolServer } from 'toolrack'

const STATUS = 'status://now'
let status = 'unknown'
let timer: NodeJS.Timeout

async function poll(server: ToolServer) {
  try {
    const response = await fetch('https://status.example.com/api')
    const { state } = (await response.json()) as { state: string }
    if (state === status) return
    status = state
    server.resourceUpdated(STATUS)
    if (state === 'down') server.add(defineTool({ name: 'restart', description: 'Restarts it.', handler: restart }))
    else server.remove('restart')
  } catch (error) {
    server.log.warning('the status is not known', error)
  }
}

const restart = async () => `restarted, it was ${status}`

export function setup(server: ToolServer) {
  timer = setInterval(() => void poll(server), 10_000)
}
export const close = () => clearInterval(timer)

export default defineResource({ uri: STATUS, name: 'status', handler: () => status })
