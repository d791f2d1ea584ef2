// URLs of the server as other programs use them.

interface Addresses {
  /** Relative to the console. */
  readonly endpoint: string
  /** The same, as clients use it. */
  readonly publicUrl: string
}

/** The URL of a door of the server as other programs use it. @param path relative to the console */
export function toPublicUrl({ endpoint, publicUrl }: Addresses, path: string): string {
  // `../mcp` is beside the console; `../api/mcp` is one folder deeper.
  const folders = endpoint.split('/').length - 2
  const page = new URL(`${'../'.repeat(folders)}console/`, publicUrl)
  return new URL(path, page).href
}
