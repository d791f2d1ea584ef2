// The proxy of bench/replicas.ts: `… replica-proxy.ts PORT PORT`. A process of its own, because its
// listeners need many file descriptors.
import { startProxy } from '../test/support/replicas/proxy.ts'

const ports = process.argv.slice(2).map(Number)
const { url } = await startProxy(() => ports)
process.send?.(new URL(url).origin)
