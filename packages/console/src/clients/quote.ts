// Values within snippets: JSON, TOML, shell, links. A real parser reads back exactly the same text.
export const toJson = (value: unknown): string => JSON.stringify(value, undefined, 2)

/** The file that most clients share: an entry for each server, by its key. */
export const toMcpServers = (key: string, entry: object): string => toJson({ mcpServers: { [key]: entry } })

/** A string in TypeScript, in single quotes. */
export const toTs = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** A basic string of TOML, or a list of them. JSON's escapes are a subset of TOML's, except for DEL. */
export const toToml = (value: string | readonly string[]): string =>
  typeof value === 'string'
    ? JSON.stringify(value).replaceAll('\u007f', '\\u007F')
    : `[${value.map(toToml).join(', ')}]`

/** A word of a POSIX shell, or of zsh, where a leading `=` is special; in quotes only if it needs them. */
export const toShell = (text: string): string => (/^(?!=)[\w@%+=:,./-]+$/.test(text) ? text : quoteShell(text))

/** A word of a POSIX shell, in single quotes. */
export const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Base64 of the UTF-8 of a text, without Node's Buffer. */
export const toBase64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join(''))

export const toQuery = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
