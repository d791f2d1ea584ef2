// What is reserved for API keys, also on a server that takes none: how they begin, and their issuer.

/** Scanners of secrets know keys by it. */
export const API_KEY_PREFIX = 'trk_'

/** The issuer of callers with a key. Tokens that name it are refused: no JWT is the same caller. */
export const API_KEY_ISSUER = 'urn:toolrack:api-keys'

/** Whether the text is meant as a key, and nothing else: a JWT begins with the base64 of `{`. */
export const isApiKey = (credential: string): boolean => credential.startsWith(API_KEY_PREFIX)
