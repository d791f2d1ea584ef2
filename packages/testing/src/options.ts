// The options of a test: the caller, the user's answers, and the server's settings.
import type { Caller, ClientCapabilities, JsonObject, ServerOptions } from 'toolrack'
import type { TokenDouble } from 'toolrack/definitions'
import { findNearestName } from 'toolrack/text'
import type { Answers } from './questions.ts'

/** A caller. Without scopes, it has none. */
export type TestCaller = Omit<Caller, 'scopes'> & { readonly scopes?: readonly string[] }

/** The caller, and the client's answers. */
export interface CallOptions {
  /** If undefined, there is no access control, so everything is allowed. */
  readonly caller?: TestCaller | undefined
  /** Answers by the handler's keys, or a function that answers every question. */
  readonly answers?: Answers
  /** The client's declared capabilities; default: all. */
  readonly capabilities?: ClientCapabilities
  /** More members of the request's `_meta`. */
  readonly meta?: JsonObject
}

/** How tools are served inside a test. */
export interface TestOptions extends CallOptions {
  /** The options of `createServer`. The environment is not read. */
  readonly settings?: Omit<ServerOptions, 'tools' | 'toolsDir' | 'doors'>
  /** Returns the tokens for `ctx.caller.tokenFor`: the test has no authorization server. */
  readonly tokenFor?: TokenDouble
  /** `fake`: time for deadlines and rate limits moves by `clock.advance(ms)` only. */
  readonly clock?: 'real' | 'fake'
}

const CALL_OPTIONS = ['caller', 'answers', 'capabilities', 'meta'] satisfies (keyof CallOptions)[]
const TEST_OPTIONS = [...CALL_OPTIONS, 'settings', 'tokenFor', 'clock'] satisfies (keyof TestOptions)[]

/** @throws Error naming an unknown option */
export const assertTestOptions = (options: TestOptions): void => assertOptions(options, TEST_OPTIONS)

/** @throws Error naming an unknown option */
export const assertCallOptions = (options: CallOptions): void => assertOptions(options, CALL_OPTIONS)

// A misspelt `caller` would test the tools without access control.
function assertOptions(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find(name => !known.includes(name))
  if (unknown === undefined) return
  const meant = findNearestName(unknown, known)
  const fix = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`
  throw new Error(`${unknown}: no such option; ${fix}`)
}
