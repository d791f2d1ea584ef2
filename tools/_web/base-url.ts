/**
 * Where a service is, as the operator wrote it.
 *
 * @throws Error that names the setting, and not its value, which may hold a password
 */
export function baseUrl(setting: string, value: string): URL {
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new Error(`${setting} must be a plain http(s) URL, such as https://api.example.org`)
  }
  return url
}

/** The same with a path behind its own; its query stays, such as `?apikey=…` of a proxy. */
export function below(base: URL, path: string): URL {
  const url = new URL(base)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  return url
}
