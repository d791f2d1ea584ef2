// A browser with a user in it, as far as an authorization needs one: cookies, redirects, two forms.

export interface User {
  readonly account: string
  /** The scopes that it grants when it is asked; more are refused. */
  grants: readonly string[]
}

/** Follows an authorization to its end. @returns what the authorization server hands to the client at `redirectUrl` */
export async function authorize(user: User, start: URL, redirectUrl: string): Promise<URLSearchParams> {
  const cookies: Cookies = new Map()
  const open = async (url: URL, form?: URLSearchParams) => {
    const headers = { cookie: cookiesFor(cookies, url) }
    const response = await fetch(url, { redirect: 'manual', headers, ...(form && { method: 'POST', body: form }) })
    keep(cookies, response.headers.getSetCookie())
    return response
  }
  let url = start
  for (let step = 0; step < 12; step++) {
    let response = await open(url)
    if (response.status === 200) response = await open(url, answer(user, await response.text()))
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${response.status} at ${url.pathname}: ${await response.text()}`)
    url = new URL(location, url)
    if (url.href.startsWith(redirectUrl)) return url.searchParams
  }
  throw new Error(`the authorization goes round in circles at ${url}`)
}

function answer(user: User, page: string): URLSearchParams {
  const [, prompt] = /data-prompt="(\w+)"/.exec(page) ?? []
  if (prompt === 'login') return new URLSearchParams({ account: user.account })
  if (prompt === 'consent') return new URLSearchParams(user.grants.map((scope): [string, string] => ['grant', scope]))
  throw new Error(`no form that a user knows: ${page}`)
}

// By name and path, since an authorization server may have several steps open at once.
type Cookies = Map<string, { readonly pair: string; readonly path: string }>

function keep(cookies: Cookies, lines: readonly string[]): void {
  for (const line of lines) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
    const path = /; path=([^;]*)/i.exec(line)?.[1] ?? '/'
    if (value === '') cookies.delete(`${name} ${path}`)
    else cookies.set(`${name} ${path}`, { pair: `${name}=${value}`, path })
  }
}

function cookiesFor(cookies: Cookies, { pathname }: URL): string {
  const matching = [...cookies.values()].filter(({ path }) => path === '/' || `${pathname}/`.startsWith(`${path}/`))
  return matching.map(({ pair }) => pair).join('; ')
}
