// The facts of the server that the console needs before it connects.

/** `GET config.json`; `endpoint` and `plainHttp` are relative to the page. */
export interface ConsoleConfig {
  readonly name: string
  readonly title?: string
  readonly version: string
  readonly endpoint: string
  readonly publicUrl: string
  /** Whether the operator has set the URL; else this page has found it. */
  readonly isUrlFixed: boolean
  readonly revisions: readonly string[]
  readonly access: 'open' | 'token'
  readonly authorizationServers: readonly string[]
  readonly resource: string
  readonly plainHttp: string | null
  readonly isPlugin: boolean
}

export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch(new URL('config.json', document.baseURI), { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`The server answered ${response.status} for config.json.`)
  const config = (await response.json()) as ConsoleConfig
  return config.isUrlFixed ? config : { ...config, publicUrl: findOwnUrl(config) }
}

/** A proxy may have changed the host and cut off a prefix, so the server does not know this URL. */
function findOwnUrl({ endpoint, publicUrl }: ConsoleConfig): string {
  const url = new URL(endpoint, document.baseURI)
  // Clients cannot open such an address, so the server has named `localhost`.
  return ['0.0.0.0', '[::]'].includes(url.hostname) ? publicUrl : url.href
}
