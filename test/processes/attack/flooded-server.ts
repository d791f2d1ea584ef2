// A server of its own process, to be flooded: its options come as JSON, its port goes to who has started it, and then how
// much of a core it took, each time when it is asked.
import { createServer, defineTool } from '../../../src/index.ts'

const echo = defineTool({ name: 'echo', handler: () => 'x' })
const app = await createServer({ ...JSON.parse(process.argv[2]!), tools: [echo], logLevel: 'silent' })
await app.listen({ host: '127.0.0.1', port: 0 })
process.send!(app.server.address())

let [cpu, atMs] = [process.cpuUsage(), performance.now()]
process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu)
  process.send!({ cores: (user + system) / 1000 / (performance.now() - atMs) })
  ;[cpu, atMs] = [process.cpuUsage(), performance.now()]
})
process.on('disconnect', () => process.exit())
