// The facts of the server that the console needs before it connects.

/** `GET config.json`; `endpoint` and `plainHttp` are relative to the page. */
export interface ConsoleConfig {
  readonly name: string
  readonly title?: string
  readonly version: string
  readonly endpoint: string
  readonly publicUrl: string
  readonly revisions: readonly string[]
  readonly access: 'open' | 'token'
  readonly authorizationServers: readonly string[]
  readonly resource: string
  readonly plainHttp: string | null
}

export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch(new URL('config.json', document.baseURI), { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`The server answered ${response.status} for config.json.`)
  return (await response.json()) as ConsoleConfig
}
