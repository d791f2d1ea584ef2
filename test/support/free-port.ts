// A port of loopback that nobody listens at. Below those that the kernel gives to connections: between the moment in which it
// is found free and the one in which it is used, another test may be given any of these.
import { once } from 'node:events'
import net from 'node:net'

const [FIRST, COUNT] = [15_000, 17_000]

export async function freePort(): Promise<number> {
  const port = FIRST + Math.floor(Math.random() * COUNT)
  const server = net.createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
