// The names under which secrets stand: in a text, such as `password=…`, and as members of what is logged and audited.

/** A space stands for any sign between words, or none: `apiKey`, `API_KEY` and `x-api-key` are one. */
const IN_TEXTS = ['api key', 'access key', 'access token', 'auth token', 'secret', 'password', 'passwd', 'pwd', 'token']
/** In texts these are ordinary words, or have rules of their own. */
const OF_MEMBERS = [
  ...['passphrase', 'passcode', 'authorization', 'bearer', 'jwt', 'credential', 'private key', 'signing key'],
  ...['cookie', 'session id'],
]
/** Parts of too many other names. */
const WHOLE_NAMES = ['auth', 'otp', 'pin', 'cvv']

const NAME = new RegExp([...IN_TEXTS, ...OF_MEMBERS].map(name => name.replace(' ', '')).join('|'))

/** Matches the name and the sign before its value. */
export const NAMES_IN_TEXTS = `(?:${IN_TEXTS.map(name => name.replace(' ', '[-_]?')).join('|')})["']?\\s*[=:]\\s*["']?`

export function isSecretName(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z0-9]+/g, '')
  return NAME.test(letters) || WHOLE_NAMES.includes(letters)
}
