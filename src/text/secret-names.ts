// Names that people use for secrets.

/** Names of secrets. A space matches any separator or none: `apiKey`, `API_KEY`, `x-api-key`. */
const TEXT_NAMES = [
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
/** Matched only if no letter precedes. */
const BEGINNING_IN_TEXTS = ['pass', '_auth']
/** Only for member names: in text these are ordinary words, or have their own rules. */
const MEMBER_NAMES = [
  ...['passcode', 'authorization', 'bearer', 'jwt', 'credential', 'connection string', 'cookie', 'session id'],
]
/** Only as whole names, since they are part of too many others. */
const WHOLE_NAMES = ['auth', 'otp', 'pin', 'cvv']

const SECRET_NAMES = new RegExp([...TEXT_NAMES, ...MEMBER_NAMES].map(name => name.replace(' ', '')).join('|'))

/** Part of a regular expression: matches a secret's name within a text, without regard to case. */
export const NAMES_IN_TEXTS = `(?:${TEXT_NAMES.map(name => name.replace(' ', '[-_]?')).join('|')}|(?<![a-z])(?:${BEGINNING_IN_TEXTS.join('|')}))`

/** Whether a member, an argument or a header of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z0-9]+/g, '')
  return SECRET_NAMES.test(letters) || WHOLE_NAMES.includes(letters)
}
