import type { DoorContext } from 'toolrack/door'

export function talk(context: DoorContext, socket: WebSocket, clientKey: string) {
  const conversation = context.converse({
    clientKey, // and `caller`, if you know one
    send(json) {
      socket.send(json)
      return socket.bufferedAmount < 65_536 // false: the reader lags
    },
    countUnsentBytes: () => socket.bufferedAmount,
    disconnect: () => socket.close(),
  })
  socket.onmessage = ({ data }) => conversation.receive(String(data))
  socket.onclose = () => conversation.close()
}
