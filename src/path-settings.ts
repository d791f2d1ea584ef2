// Whether the endpoint has a path of its own. Two routes of one path would be found out only when both are mounted.

interface PathSettings {
  readonly mcpPath: string
  readonly httpSse: boolean
  readonly metrics: boolean
  readonly metricsPort?: number | undefined
}

/** Who else has routes: in an app of somebody else, that app. */
interface House {
  readonly isPlugin: boolean
}

/** What is wrong, with the name of the setting as its user knows it; undefined where nothing is. */
export function pathFault(
  settings: PathSettings,
  nameOf: (setting: string) => string,
  house: House,
): string | undefined {
  const { mcpPath } = settings
  if (!takenBy(settings, house).includes(mcpPath)) return undefined
  return `${nameOf('MCP_PATH')}: expected a path of its own; at ${mcpPath} the server has something else`
}

function takenBy({ httpSse, metrics, metricsPort }: PathSettings, { isPlugin }: House): string[] {
  const taken = ['/.well-known/oauth-protected-resource']
  if (httpSse) taken.push('/sse', '/messages')
  if (isPlugin) return taken
  taken.push('/health', '/ready')
  if (metrics && metricsPort === undefined) taken.push('/metrics')
  return taken
}
