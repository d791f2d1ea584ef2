// Whether the endpoint has a path of its own. Two routes of one path would be found out only when both are mounted.

interface PathSettings {
  readonly mcpPath: string
  readonly httpSse: boolean
  readonly metrics: boolean
  readonly metricsPort?: number | undefined
}

const ALWAYS_TAKEN = ['/health', '/ready', '/.well-known/oauth-protected-resource']

/** What is wrong, with the name of the setting as its user knows it; undefined where nothing is. */
export function pathFault(
  { mcpPath, httpSse, metrics, metricsPort }: PathSettings,
  nameOf: (setting: string) => string,
): string | undefined {
  const taken = [...ALWAYS_TAKEN]
  if (metrics && metricsPort === undefined) taken.push('/metrics')
  if (httpSse) taken.push('/sse', '/messages')
  if (!taken.includes(mcpPath)) return undefined
  return `${nameOf('MCP_PATH')}: expected a path of its own; at ${mcpPath} the server has something else`
}
