/**
 * Parses the URL of a service, as the operator wrote it.
 *
 * @throws Error that names the setting; not its value, which may contain a password
 */
export function baseUrl(setting: string, value: string): URL {
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new Error(`${setting} must be a plain http(s) URL, such as https://api.example.org`)
  }
  return url
}

/** Appends a path; keeps the query, such as `?apikey=…` for a proxy. */
export function below(base: URL, path: string): URL {
  const url = new URL(base)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  return url
}
