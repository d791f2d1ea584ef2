// For a server under test: tells which OpenTelemetry modules it loads, and with WITHOUT_SDK has it find none.
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@opentelemetry/sdk-node' && process.env.WITHOUT_SDK === 'true')
      throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' })
    const resolved = next(specifier, context)
    const [, name] = /node_modules\/(@opentelemetry\/[\w-]+)/.exec(resolved.url) ?? []
    if (name !== undefined) process.stderr.write(`loaded ${name}\n`)
    return resolved
  },
})
