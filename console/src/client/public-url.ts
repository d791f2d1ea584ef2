// URLs of the server as other programs use them.

interface Addresses {
  /** Relative to the console. */
  readonly endpoint: string
  /** The same, as clients use it. */
  readonly publicUrl: string
}

/** The URL of a door of the server as other programs use it. @param path relative to the console */
export function toPublicUrl({ endpoint, publicUrl }: Addresses, path: string): string {
  const page = new URL('http://page/prefix/console/')
  const folder = new URL(endpoint, page).pathname.split('/').length
  const target = new URL(path, page).pathname.split('/')
  const base = new URL(publicUrl).pathname.split('/')
  const here = base.slice(0, base.length - (folder - 2))
  return new URL([...here, ...target.slice(2)].join('/'), publicUrl).href
}
