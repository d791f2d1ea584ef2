// What a client is: how it connects to one server, what it needs, and what it does not support. This
// folder is pure and does not use Node, since the console imports it, too.
/** A tool as clients see it. */
export interface ExampleTool {
  readonly name: string
  readonly inputSchema?: unknown
}

/** The facts that a client needs about a server. */
export interface ServerFacts {
  /** The URL that clients use. */
  readonly url: string
  readonly name: string
  readonly access: 'open' | 'token'
  /** Where clients sign in by OAuth. If empty, the user brings a token. */
  readonly authorizationServers: readonly string[]
  /** The URL of `GET /tools`, and whether the server answers there. */
  readonly plainHttp: { readonly url: string; readonly isOn: boolean }
  /** It runs in another app, so its settings are options. */
  readonly isPlugin?: boolean | undefined
  /** How many tools the reader sees, if known. */
  readonly toolCount?: number | undefined
  /** The tool that examples call. */
  readonly exampleTool?: ExampleTool | undefined
}

/** The facts in the form that the rows need: safe to print, and with conclusions. */
export interface Server extends Pick<ServerFacts, 'plainHttp' | 'exampleTool' | 'isPlugin'> {
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
  /** `its 12 tools`. */
  readonly itsTools: string
}

export type Language = 'sh' | 'json' | 'toml' | 'ts' | 'env'

export interface Snippet {
  readonly language: Language
  /** The file for the text; none for a command. */
  readonly file?: string
  readonly text: string
}

/** The systems that clients run on, as Node names them. */
export type System = 'linux' | 'darwin' | 'win32'

/** How a client starts the server itself. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
}

/** The file with a client's servers: an entry for each, by its key. */
export interface FileRow {
  readonly format: 'json' | 'toml'
  /**
   * The path: below the user's home (`~/`), `%APPDATA%/` or `%LOCALAPPDATA%/`, else in the project.
   * If it differs by system, one row for each. In a list, the first path whose folder exists counts,
   * else the last.
   */
  readonly path:
    | string
    | (Readonly<Record<'linux' | 'darwin', string>> & { readonly win32: string | readonly string[] })
  /** The member with the entries. */
  readonly servers: string
  entry(server: Server): object
  /** The same for a server that the client starts itself. */
  program?(program: Program): object
  /** The command that adds such a server. @param command quoted for a shell, as is the key */
  programLine?(key: string, command: string): string
  /** Other members that the entry needs: lists. An item is added to a list by its `id`. */
  also?(server: Server): Readonly<Record<string, readonly { readonly id: string }[]>>
  /** What the user has to do besides: sentences. */
  note?(server: Server): string | false
  /** What to do so that the client reads the file again. */
  readonly restart?: Step & Required<Pick<Step, 'text'>>
}

/** The same for one server. */
export interface ClientFile extends Pick<FileRow, 'format' | 'path' | 'servers'> {
  readonly key: string
  readonly entry: object
  readonly also: Readonly<Record<string, readonly { readonly id: string }[]>>
  readonly note?: string
}

/** One of the numbered steps. Words in backticks are code. */
export interface Step {
  /** What to do: `Run the command`. */
  readonly title: string
  /** Sentences. */
  readonly text?: string
  readonly snippet?: Snippet
  /** Opens the client, which asks its user to add the server. */
  readonly link?: string
}

/** A reason why this client cannot use this server. */
export interface Problem {
  /** On its card: `Needs a public HTTPS URL`. */
  readonly short: string
  /** Sentences; the first one says what does not work. */
  readonly title: string
  readonly text: string
  /** What to do, before the steps of the client. */
  readonly steps: readonly Step[]
}

export type Support = 'yes' | 'no' | 'unknown'

/** The parts of the protocol besides tools. `unknown`: the client's documents do not say. */
export interface Features {
  readonly elicitation: Support
  /** Notices without a restart that tools were added, changed or removed. */
  readonly listChanges: Support
  readonly tasks: Support
  readonly resources: Support
  readonly prompts: Support
  /** Signs in by OAuth at an authorization server. */
  readonly signIn: Support
}

export const UNKNOWN_FEATURES: Features = {
  elicitation: 'unknown',
  listChanges: 'unknown',
  tasks: 'unknown',
  resources: 'unknown',
  prompts: 'unknown',
  signIn: 'unknown',
}

/** The sources of a row, and their date. */
export interface Seen {
  /** The day on which the documents and the sources were read: `2026-11-27`. */
  readonly day: string
  /** The newest revision of the protocol that it speaks, if known. */
  readonly revision?: string
  /** Sources besides its documents. */
  readonly sources?: readonly string[]
}

export type GroupId = 'editors' | 'frameworks' | 'chat-apps' | 'apis'

export interface Client {
  readonly id: string
  readonly title: string
  readonly group: GroupId
  /** On its card: `One command`. */
  readonly way: string
  /** Short: `a public HTTPS URL`, `Node`. */
  readonly needs: readonly string[]
  /** The steps for its problems come first. */
  readonly steps: readonly Step[]
  /** The shortest way, in one line: a command, or the text of a file. */
  readonly line?: string
  /** What `toolrack connect CLIENT --write` writes. */
  readonly file?: ClientFile
  readonly problems: readonly Problem[]
  readonly features: Features
  /** What to know before the steps, in sentences. */
  readonly limits: readonly string[]
  readonly docs: string
  readonly seen: Seen
}

export type Connection = Pick<Client, 'steps' | 'line'>

/** A row of the table of clients. */
export interface ClientRow
  extends Pick<Client, 'id' | 'title' | 'group' | 'way' | 'needs' | 'features' | 'limits' | 'docs' | 'seen'> {
  /** Who opens the connection, if it is not the user's machine: `Anthropic`. */
  readonly vendor?: string
  /** It cannot take a token: it needs OAuth, or an open server. */
  readonly isSignInOnly?: boolean
  readonly needsPlainHttp?: boolean
  readonly file?: FileRow
  /** How it starts a server itself, without an entry in that file. */
  program?(key: string, program: Program): readonly Step[]
  connect(server: Server): Connection
}

/** The link that opens the client, if it has one. */
export const findDeepLink = ({ steps }: Pick<Client, 'steps'>): string | undefined =>
  steps.find(({ link }) => link !== undefined)?.link
