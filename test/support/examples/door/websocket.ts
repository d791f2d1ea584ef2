import websocket from '@fastify/websocket'
import type { Door } from 'toolrack/door'

/** MCP over websockets: each text is a message, and a socket is one conversation. */
export const websocketDoor = (): Door => ({
  name: 'websocket',
  paths: ['/ws'],
  async open(app, context) {
    await app.register(websocket, { options: { maxPayload: context.maxBodyBytes } })
    app.get('/ws', { websocket: true, onRequest: [...context.guards] }, (socket, request) => {
      const conversation = context.converse({
        ...context.readFacts(request),
        send(json) {
          socket.send(json, () => socket.bufferedAmount === 0 && conversation.onDrain())
          return socket.bufferedAmount === 0 // false: the reader lags
        },
        countUnsentBytes: () => socket.bufferedAmount,
        disconnect: () => socket.terminate(),
      })
      socket.on('message', (data, isBinary) => (isBinary ? socket.close(1003) : conversation.receive(String(data))))
      socket.on('close', () => conversation.close())
    })
    context.signal.addEventListener('abort', () => {
      for (const socket of app.websocketServer.clients) socket.close(1001)
    })
  },
})
