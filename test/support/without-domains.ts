// tap follows each promise, so that the test that an uncaught error comes from is the one that fails. That takes a tenth of
// the time of a folder with servers. Without it the folder fails, with the stack, which names file and line.
import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const { createHook } = asyncHooks
const idle: asyncHooks.AsyncHook = { enable: () => idle, disable: () => idle }
const isOfTap = () => new Error().stack!.includes('async-hook-domain')

// This is imported before tap, which makes its hook with its first test.
asyncHooks.createHook = callbacks => (isOfTap() ? idle : createHook(callbacks))
syncBuiltinESMExports()
