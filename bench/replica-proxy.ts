// The proxy of bench/replicas.ts, in a process of its own, since each has so many files: `… replica-proxy.ts PORT PORT`.
import { startProxy } from '../test/replicas/proxy.ts'

const ports = process.argv.slice(2).map(Number)
const { url } = await startProxy(() => ports)
process.send?.(new URL(url).origin)
