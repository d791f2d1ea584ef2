// The cookie that identifies a browser. The browser that answered the question must be the one that
// comes back from the provider, and continues to the client.
export interface BrowserCookie {
  /** @param cookies the header of a request @returns the secret of this browser */
  read(cookies: string | undefined): string | undefined
  /** @returns the header that sets it */
  write(secret: string): string
}

export function createBrowserCookie(brokerUrl: string): BrowserCookie {
  const isSecure = brokerUrl.startsWith('https:')
  // With `__Host-`, no other host of the domain can set the cookie. Plain HTTP, on loopback, lacks
  // such a prefix.
  const name = isSecure ? '__Host-browser' : 'browser'
  const pattern = new RegExp(`(?:^|; )${name}=([\\w-]{43})(?:;|$)`)
  return {
    read: cookies => pattern.exec(cookies ?? '')?.[1],
    write: secret => `${name}=${secret}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  }
}
