// The state of the sign-in, as the views read it.
export interface SignInState {
  readonly status: 'signed-out' | 'waiting' | 'signed-in'
  readonly via?: 'oauth' | 'token'
  /** The scopes of the token, as far as the authorization server has named them. */
  readonly scopes: readonly string[]
  /** Further scopes that a refused request needed. */
  readonly missing: readonly string[]
  /** Scopes in the server's challenge. The authorization server will be asked for them. */
  readonly asked: readonly string[]
  /** The authorization server does not register this page as a client. */
  readonly needsClientId: boolean
  readonly problem?: Fault
  /** `null` if the server does not name the user. */
  readonly who?: Who | null
  /** Counts the user's tokens: with another one, the server may show other tools. */
  readonly tokens: number
}

/** The fault, and the way of sign-in that it belongs to. */
export interface Fault {
  readonly via: 'oauth' | 'token'
  readonly text: string
}

/** The user's identity. */
export interface Who {
  /** A name for display, which other users may share. */
  readonly name: string
  /** The subject of the token, or the name of the key: unique for each user of an issuer. */
  readonly subject: string
  readonly issuer?: string | undefined
  /** Unix time in ms. */
  readonly expiresAt?: number | undefined
}

export const SIGNED_OUT: Omit<SignInState, 'tokens'> = {
  status: 'signed-out',
  scopes: [],
  missing: [],
  asked: [],
  needsClientId: false,
}
