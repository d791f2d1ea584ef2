// A browser with a user in it: cookies by origin, redirects, refreshes and forms, and it stops
// where a client waits.

export interface Shown {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly html: string
}

/** The browser has left for an address that no server here has: that of a client. */
export interface Left {
  readonly left: URL
}

export interface Person {
  /** At the provider; undefined refuses there. */
  readonly account: string | undefined
  /** To the question of the broker. */
  readonly answer?: 'allow' | 'refuse'
}

interface Cookie {
  readonly value: string
  readonly path: string
}

const MAX_STEPS = 20

export class Browser {
  readonly #cookies = new Map<string, Map<string, Cookie>>()
  /** Every URL that it opened. */
  readonly opened: URL[] = []
  readonly #servers: readonly string[]

  /** @param servers the origins that there are */
  constructor(servers: readonly string[]) {
    this.#servers = servers
  }

  /** Follows redirects until a page is shown, or a client is reached. */
  async go(start: URL | string, form?: URLSearchParams, headers: Record<string, string> = {}): Promise<Shown | Left> {
    let url = new URL(start)
    let body = form
    for (let step = 0; step < MAX_STEPS; step++) {
      if (!this.#servers.includes(url.origin)) return { left: url }
      const response = await this.request(url, body, headers)
      const location = response.headers.get('location')
      if (location === null)
        return { url, status: response.status, headers: response.headers, html: await response.text() }
      await response.body?.cancel()
      url = new URL(location, url)
      body = undefined
    }
    throw new Error(`round in circles at ${url}`)
  }

  /** One request, with the cookies of its origin. */
  async request(url: URL, form?: URLSearchParams, headers: Record<string, string> = {}): Promise<Response> {
    this.opened.push(url)
    const own = form === undefined ? {} : { origin: url.origin, 'sec-fetch-site': 'same-origin' }
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { ...own, ...headers, cookie: this.cookies(url) },
      ...(form && { method: 'POST', body: form }),
    })
    this.#keep(url, response.headers.getSetCookie())
    return response
  }

  cookies({ origin, pathname }: URL): string {
    const own = [...(this.#cookies.get(origin) ?? [])]
    const sent = own.filter(([, { path }]) => path === '/' || `${pathname}/`.startsWith(`${path}/`))
    return sent.map(([key, { value }]) => `${key.split(' ')[0]}=${value}`).join('; ')
  }

  /** Its user deletes the cookies of one site. */
  forget(origin: string): void {
    this.#cookies.delete(origin)
  }

  /** As another host of the domain can. @param cookies for this path, as `name=value; name=value` */
  plant({ origin, pathname }: URL, cookies: string): void {
    this.#keep(
      new URL(origin),
      cookies.split('; ').map(pair => `${pair}; path=${pathname}`),
    )
  }

  /** Goes on, as this user, until a client is reached or something else is shown. */
  async authorize(start: URL | string, person: Person): Promise<Shown | Left> {
    let shown = await this.go(start)
    for (let step = 0; step < MAX_STEPS && 'html' in shown; step++) {
      const next = await this.#react(shown, person)
      if (next === undefined) return shown
      shown = next
    }
    return shown
  }

  async #react(shown: Shown, { account, answer = 'allow' }: Person): Promise<Shown | Left | undefined> {
    const refresh = refreshOf(shown)
    if (refresh !== undefined) return this.go(refresh)
    if (shown.html.includes('data-prompt="login"'))
      return this.go(shown.url, new URLSearchParams(account === undefined ? {} : { account }))
    return shown.html.includes('name="csrf"') ? this.answer(shown, answer) : undefined
  }

  /** Sends the form of the question. */
  answer(shown: Shown, answer: string): Promise<Shown | Left> {
    return this.go(shown.url, new URLSearchParams({ csrf: csrfOf(shown), answer }))
  }

  #keep({ origin }: URL, lines: readonly string[]): void {
    const own = this.#cookies.get(origin) ?? new Map<string, Cookie>()
    this.#cookies.set(origin, own)
    for (const line of lines) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      const path = /; path=([^;]*)/i.exec(line)?.[1] ?? '/'
      if (value === '') own.delete(`${name} ${path}`)
      else own.set(`${name} ${path}`, { value: value!, path })
    }
  }
}

export const csrfOf = ({ html }: Shown): string => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''

const decode = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name]!,
  )

export function refreshOf({ html }: Shown): URL | undefined {
  const [, target] = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(html) ?? []
  return target === undefined ? undefined : new URL(decode(target))
}

/** @throws Error with what is shown instead */
export function leftFor(end: Shown | Left): URLSearchParams {
  if ('left' in end) return end.left.searchParams
  throw new Error(`${end.status} at ${end.url.pathname}: ${end.html}`)
}

/** @throws Error if the browser has left */
export function shownIn(end: Shown | Left): Shown {
  if ('html' in end) return end
  throw new Error(`left for ${end.left}`)
}
