// The proxy of the environment, for all requests of the program: HTTPS_PROXY, HTTP_PROXY and
// NO_PROXY count if they are set. Node itself reads them only with NODE_USE_ENV_PROXY=1; with 0 they
// are ignored.
import http from 'node:http'
import { ConfigError } from 'toolrack/settings'

const PROXIES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const
/** Services of this machine are never behind a proxy. */
const LOOPBACK = ['localhost', '127.0.0.1', '::1', '[::1]'] as const

/**
 * Also sets the variables for the processes of isolated tools.
 *
 * @returns a message for the user if this Node cannot do it
 * @throws ConfigError if a proxy is not a URL
 */
export function useEnvironmentProxy(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = PROXIES.filter(name => environment[name])
  if (given.length === 0 || environment['NODE_USE_ENV_PROXY']) return undefined
  if (http.setGlobalProxyFromEnv === undefined)
    return `${given[0]}: this Node (${process.version}) takes no proxy by itself; set NODE_USE_ENV_PROXY=1, with Node 22.21, 24.5 or newer`
  const wrong = given.find(name => !isProxy(environment[name]!))
  if (wrong !== undefined) throw new ConfigError(`${wrong}: expected a URL such as http://proxy.example:3128`)
  const exceptions = environment['no_proxy'] ? 'no_proxy' : 'NO_PROXY'
  environment[exceptions] = [environment[exceptions], ...LOOPBACK].filter(Boolean).join(',')
  environment['NODE_USE_ENV_PROXY'] = '1'
  http.setGlobalProxyFromEnv(environment)
  return undefined
}

const isProxy = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')
