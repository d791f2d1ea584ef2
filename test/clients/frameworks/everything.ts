// server-everything over Streamable HTTP, which says where it listens as our own servers do.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const isOpen = () =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

process.argv[2] = 'streamableHttp'
await import('@modelcontextprotocol/server-everything/dist/index.js' as string)
const port = Number(process.env['PORT'])
while (!(await isOpen())) await sleep(20)
console.log(`Server listening at http://127.0.0.1:${port}`)
