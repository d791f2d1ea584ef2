// The cookie that identifies a browser: the one that answered the question has to be the one that
// comes back from the provider, and goes on to the client.
export interface BrowserCookie {
  /** @param cookies the header of a request @returns the secret of this browser */
  read(cookies: string | undefined): string | undefined
  /** @returns the header that sets it */
  write(secret: string): string
}

export function createBrowserCookie(brokerUrl: string): BrowserCookie {
  const isSecure = brokerUrl.startsWith('https:')
  // `__Host-`: no other host of the domain can set it. Plain HTTP, on loopback, has no such thing.
  const name = isSecure ? '__Host-browser' : 'browser'
  const pattern = new RegExp(`(?:^|; )${name}=([\\w-]{43})(?:;|$)`)
  return {
    read: cookies => pattern.exec(cookies ?? '')?.[1],
    write: secret => `${name}=${secret}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  }
}
