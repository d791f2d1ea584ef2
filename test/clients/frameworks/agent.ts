// What the tests ask of a client or an agent framework, in the terms of none.

/** A framework's client, with a model that follows a script. */
export interface Agent {
  /** Names of the tools that its model may call. */
  listTools(): Promise<string[]>
  /** Lets the model call the tool, and then end. Returns what the model was told of the call. */
  callTool(name: string, args: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

export type Connect = (url: string, token?: string) => Promise<Agent>

export const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { Authorization: `Bearer ${token}` }
