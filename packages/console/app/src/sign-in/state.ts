// The state of the sign-in, as the views read it.
export interface SignInState {
  readonly status: 'signed-out' | 'waiting' | 'signed-in'
  readonly via?: 'oauth' | 'token'
  /** What the token allows, as far as the authorization server said so. */
  readonly scopes: readonly string[]
  /** Scopes that a refused request needed beside those. */
  readonly missing: readonly string[]
  /** Scopes that the server's challenge names: the authorization server will be asked for them. */
  readonly asked: readonly string[]
  /** The authorization server does not register this page as a client. */
  readonly needsClientId: boolean
  readonly problem?: Fault
  /** `null` if the server does not say. */
  readonly who?: Who | null
  /** Counts the tokens that the user has got: with another one the server may show other tools. */
  readonly tokens: number
}

/** What went wrong, and with which way to sign in. */
export interface Fault {
  readonly via: 'oauth' | 'token'
  readonly text: string
}

/** As whom the user is in. */
export interface Who {
  /** What to call them. Others may be called the same. */
  readonly name: string
  /** The subject of the token, or the name of the key: one for each user of an issuer. */
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
