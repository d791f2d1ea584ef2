// What a client is: how it connects to one server, what it needs, and what it does not support.
// This room is pure and without Node, since the console imports it, too.

/** What a client has to know of a server. */
export interface ServerFacts {
  /** The URL that clients use. */
  readonly url: string
  readonly name: string
  readonly access: 'open' | 'token'
  /** Where clients sign in by OAuth. Empty: the user brings a token. */
  readonly authorizationServers: readonly string[]
}

/** The facts as the rows need them: safe to print, and with the conclusions drawn. */
export interface Server {
  /** Normalised. It has no quote, space, brace, dollar or control character. */
  readonly url: string
  /** A key that every client accepts: letters, digits, `-` and `_`. */
  readonly key: string
  readonly isHttps: boolean
  /** Only this machine, or only this network, can open the URL. */
  readonly isLocal: boolean
  readonly needsToken: boolean
  /** The client signs in by OAuth; there is no token to configure. */
  readonly hasSignIn: boolean
}

export type Language = 'sh' | 'json' | 'toml' | 'ts'

export interface Snippet {
  /** What it is for, as a heading. */
  readonly title: string
  readonly language: Language
  /** Where the text goes; none for a command. */
  readonly file?: string
  readonly text: string
}

/** What keeps this client from this server, and what to do. */
export interface Problem {
  readonly text: string
  readonly fix: string
}

export type Support = 'yes' | 'no' | 'unknown'

/** The parts of the protocol beside tools. `unknown`: its documents do not say. */
export interface Features {
  readonly elicitation: Support
  /** Takes up tools that were added, changed or removed without a restart. */
  readonly listChanges: Support
  readonly tasks: Support
  readonly resources: Support
  readonly prompts: Support
  /** Signs in by OAuth at an authorization server. */
  readonly signIn: Support
}

export interface Client {
  readonly id: string
  readonly title: string
  /** Short: `a public HTTPS URL`, `Node`. */
  readonly needs: readonly string[]
  /** Sentences; the snippets belong to them. */
  readonly steps: readonly string[]
  readonly snippets: readonly Snippet[]
  /** Opens the client, which asks its user to add the server. */
  readonly deepLink?: string
  readonly problems: readonly Problem[]
  readonly features: Features
  /** What to know before, in sentences. */
  readonly limits: readonly string[]
  readonly docs: string
}

export type Connection = Pick<Client, 'steps' | 'snippets' | 'deepLink'>

/** A row of the table of clients. */
export interface ClientRow extends Pick<Client, 'id' | 'title' | 'needs' | 'features' | 'limits' | 'docs'> {
  /** Its vendor's machines open the connection, not the user's. */
  readonly isRemote: boolean
  /** It has no place for a token: OAuth, or a server that is open. */
  readonly isSignInOnly?: boolean
  connect(server: Server): Connection
}
