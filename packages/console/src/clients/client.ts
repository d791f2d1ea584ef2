// What a client is: how it connects to one server, what it needs, and what it does not support.
// This room is pure and without Node, since the console imports it, too.
/** A tool as clients see it. */
export interface ExampleTool {
  readonly name: string
  readonly inputSchema?: unknown
}

/** What a client has to know of a server. */
export interface ServerFacts {
  /** The URL that clients use. */
  readonly url: string
  readonly name: string
  readonly access: 'open' | 'token'
  /** Where clients sign in by OAuth. Empty: the user brings a token. */
  readonly authorizationServers: readonly string[]
  /** The URL of `GET /tools`, and whether the server answers there. */
  readonly plainHttp: { readonly url: string; readonly isOn: boolean }
  /** It runs in an app of the operator's, so its settings are options. */
  readonly isPlugin?: boolean | undefined
  /** How many tools the reader sees, if that is known. */
  readonly toolCount?: number | undefined
  /** The tool that examples call. */
  readonly exampleTool?: ExampleTool | undefined
}

/** The facts as the rows need them: safe to print, and with the conclusions drawn. */
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
  /** Where the text goes; none for a command. */
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

/** The file in which a client keeps its servers: an entry for each, by its key. */
export interface FileRow {
  readonly format: 'json' | 'toml'
  /**
   * Where it is: below the home of the user (`~/`), `%APPDATA%/` or `%LOCALAPPDATA%/`, else in the
   * project. One that differs by system has a row for each. Of a list it is the first whose folder is
   * there, else the last.
   */
  readonly path:
    | string
    | (Readonly<Record<'linux' | 'darwin', string>> & { readonly win32: string | readonly string[] })
  /** The member that has the entries. */
  readonly servers: string
  entry(server: Server): object
  /** The same for a server that the client starts itself. */
  program?(program: Program): object
  /** The command that adds such a server. @param command quoted for a shell, as is the key */
  programLine?(key: string, command: string): string
  /** Other members that the entry needs: lists, to which an item is added by its `id`. */
  also?(server: Server): Readonly<Record<string, readonly { readonly id: string }[]>>
  /** What the user does beside it: sentences. */
  note?(server: Server): string | false
  /** What makes the client read the file again. */
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

/** What keeps this client from this server. */
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

export const UNKNOWN_FEATURES: Features = {
  elicitation: 'unknown',
  listChanges: 'unknown',
  tasks: 'unknown',
  resources: 'unknown',
  prompts: 'unknown',
  signIn: 'unknown',
}

/** From where the facts of a row are, and since when. */
export interface Seen {
  /** On which the documents and the sources were read: `2026-11-27`. */
  readonly day: string
  /** The newest revision of the protocol that it speaks, if that is known. */
  readonly revision?: string
  /** Beside its documents. */
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
  /** Those of its problems come first. */
  readonly steps: readonly Step[]
  /** The shortest way, in one line: a command, or the text of a file. */
  readonly line?: string
  /** What `toolrack connect CLIENT --write` writes. */
  readonly file?: ClientFile
  readonly problems: readonly Problem[]
  readonly features: Features
  /** What to know before, in sentences. */
  readonly limits: readonly string[]
  readonly docs: string
  readonly seen: Seen
}

export type Connection = Pick<Client, 'steps' | 'line'>

/** A row of the table of clients. */
export interface ClientRow
  extends Pick<Client, 'id' | 'title' | 'group' | 'way' | 'needs' | 'features' | 'limits' | 'docs' | 'seen'> {
  /** Who opens the connection, if not the user's machine: `Anthropic`. */
  readonly vendor?: string
  /** It has no place for a token: OAuth, or a server that is open. */
  readonly isSignInOnly?: boolean
  readonly needsPlainHttp?: boolean
  readonly file?: FileRow
  /** How it starts a server itself, if not by an entry in that file. */
  program?(key: string, program: Program): readonly Step[]
  connect(server: Server): Connection
}

/** The link that opens the client, if it has one. */
export const findDeepLink = ({ steps }: Pick<Client, 'steps'>): string | undefined =>
  steps.find(({ link }) => link !== undefined)?.link
