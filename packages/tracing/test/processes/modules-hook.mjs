// For a server under test: tells which OpenTelemetry modules it loads, and with WITHOUT_SDK has it
// find none, with SDK_SOURCE this one.
import { registerHooks } from 'node:module'

/** In a folder, so that its imports resolve. */
const SDK = new URL('sdk-of-the-test.mjs', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@opentelemetry/sdk-node' && process.env.WITHOUT_SDK === 'true')
      throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' })
    if (specifier === '@opentelemetry/sdk-node' && process.env.SDK_SOURCE !== undefined)
      return { url: SDK, shortCircuit: true, format: 'module' }
    const resolved = next(specifier, context)
    const [, name] = /node_modules\/(@opentelemetry\/[\w-]+)/.exec(resolved.url) ?? []
    if (name !== undefined) process.stderr.write(`loaded ${name}\n`)
    return resolved
  },
  load(url, context, next) {
    return url === SDK ? { source: process.env.SDK_SOURCE, shortCircuit: true, format: 'module' } : next(url, context)
  },
})
