// An error in a form for logs. Libraries attach their input to errors: ioredis the command with its
// arguments, jose the claims of a token, the URL parser its text. A log writes all members, so it
// gets a copy with those that say what happened.
import { types } from 'node:util'
import { readDirectCauses, readErrorMembers, readErrorName, readStack } from './thrown.ts'

const MAX_LEVELS = 3
const MAX_FRAMES = 20

/** Messages of engines and servers that quote their input. */
const QUOTES: readonly (readonly [quote: RegExp, inPlace: string])[] = [
  // Redis, for an unknown command.
  [/, with args beginning with:.*/s, ''],
  // JSON.parse.
  [/^.+ is not valid JSON$/s, 'the text is not valid JSON'],
  // fetch, and child processes.
  [/^(Headers\.\w+: ).* is (an invalid header \w+)\.$/s, '$1$2'],
  [/^(Failed to parse URL) from .*/s, '$1'],
  [/(URL that includes credentials): .*/s, '$1'],
  [/^(Command failed): .*/s, '$1'],
]

/** The name, the message, the code and the stack of an error, and the same of its causes. */
export function toLogged(thrown: unknown, levels = MAX_LEVELS): Error {
  const isObject = typeof thrown === 'object' && thrown !== null
  const { message, code } = isObject ? readErrorMembers(thrown, false) : { message: String(thrown) }
  const name = readErrorName(thrown)
  const text = omitQuotes(message)
  const copy = new Error(text)
  const frames = readStack(thrown)
    .split('\n')
    .filter(line => /^ +at /.test(line))
  const stack = [`${name}: ${text}`, ...frames.slice(0, MAX_FRAMES)].join('\n')
  for (const [key, value] of Object.entries({ name, stack, constructor: undefined }))
    Object.defineProperty(copy, key, { value, enumerable: false })
  if (code !== undefined) Object.assign(copy, { code })
  const causes = levels === 0 ? [] : readDirectCauses(thrown).filter(isError)
  if (causes.length === 1) copy.cause = toLogged(causes[0], levels - 1)
  if (causes.length > 1) Object.assign(copy, { errors: causes.map(cause => toLogged(cause, levels - 1)) })
  return copy
}

/** Only the message, for a field such as `reason`. */
export const toReason = (thrown: unknown): string => toLogged(thrown, 0).message

const omitQuotes = (message: string) => QUOTES.reduce((text, [quote, inPlace]) => text.replace(quote, inPlace), message)

/** A cause may also be the body of an answer. */
export const isError = (thrown: unknown): thrown is Error => types.isNativeError(thrown) || thrown instanceof Error
