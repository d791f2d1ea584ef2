// tap follows each promise, so that an error that nobody catches is reported by the test that it comes from. That takes a
// sixth of the time of a folder. Without it such an error ends the process, and so fails its folder, with its stack.
import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const { createHook } = asyncHooks
const isIdle = { enable: () => isIdle, disable: () => isIdle }

/** Is imported before tap, which asks for its hook with its first test. */
asyncHooks.createHook = callbacks => (isOfTap() ? isIdle : createHook(callbacks))
syncBuiltinESMExports()

const isOfTap = () => new Error().stack!.includes('async-hook-domain')
