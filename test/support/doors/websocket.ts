// A door over websockets: each text message is one of JSON-RPC, of whatever revision.
import websocket from '@fastify/websocket'
import type { Door } from '../../../src/doors/index.ts'

export const websocketDoor = (path = '/ws'): Door => ({
  name: 'websocket',
  async open(app, context) {
    await app.register(websocket, { options: { maxPayload: context.maxBodyBytes } })
    app.get(path, { websocket: true, onRequest: [...context.guards] }, (socket, request) => {
      const conversation = context.converse({
        ...context.readFacts(request),
        send(json) {
          socket.send(json, () => socket.bufferedAmount === 0 && conversation.onDrain())
          return socket.bufferedAmount === 0
        },
        countUnsentBytes: () => socket.bufferedAmount,
        disconnect: () => socket.terminate(),
      })
      socket.on('message', (data, isBinary) => (isBinary ? socket.close(1003) : conversation.receive(String(data))))
      socket.on('close', () => conversation.close())
      context.signal.addEventListener('abort', () => socket.close(1001), { once: true })
    })
  },
})
