// The names under which secrets stand: in a text, such as `password=…`, and as members of what is logged and audited.

/** A space stands for any sign between words, or none: `apiKey`, `API_KEY` and `x-api-key` are one. */
const IN_TEXTS = [
  ...[
    'api key',
    'access key',
    'access token',
    'account key',
    'auth token',
    'encryption key',
    'master key',
    'private key',
  ],
  ...['shared key', 'signing key', 'subscription key', 'secret', 'passphrase', 'password', 'passwd', 'pwd', 'token'],
]
/** Likewise, where no letter stands before. */
const BEGINNING_IN_TEXTS = ['pass', '_auth']
/** In texts these are ordinary words, or have rules of their own. */
const OF_MEMBERS = [
  ...['passcode', 'authorization', 'bearer', 'jwt', 'credential', 'connection string', 'cookie', 'session id'],
]
/** Parts of too many other names. */
const WHOLE_NAMES = ['auth', 'otp', 'pin', 'cvv']

const NAME = new RegExp([...IN_TEXTS, ...OF_MEMBERS].map(name => name.replace(' ', '')).join('|'))

/** Matches a name as it stands in a text. */
export const NAMES_IN_TEXTS = `(?:${IN_TEXTS.map(name => name.replace(' ', '[-_]?')).join('|')}|(?<![a-z])(?:${BEGINNING_IN_TEXTS.join('|')}))`

export function isSecretName(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z0-9]+/g, '')
  return NAME.test(letters) || WHOLE_NAMES.includes(letters)
}
