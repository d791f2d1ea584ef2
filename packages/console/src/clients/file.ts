// The file of a client as text, for its steps, and as data, for the command that writes it.
import type { ClientFile, FileRow, Server, Snippet } from './client.ts'
import { toJson, toToml } from './quote.ts'
import { say } from './steps.ts'

export function describeFile(row: FileRow, server: Server): ClientFile {
  const { format, path, servers, entry, also } = row
  return {
    ...{ format, path, servers, key: server.key, entry: entry(server), also: also?.(server) ?? {} },
    ...toNote(row.note?.(server), row),
  }
}

/** @param sentences for the note, before the user's next step */
export function toNote(sentences: string | false | undefined, { restart }: FileRow): Pick<ClientFile, 'note'> {
  const { text } = say(sentences, restart !== undefined && `${restart.title}. ${restart.text}`)
  return text === undefined ? {} : { note: text }
}

/** The file as it looks if it contains nothing else. */
export const toSnippet = (row: FileRow, server: Server): Snippet => toSnippetOf(describeFile(row, server))

export function toSnippetOf({ format, path, servers, key, entry, also }: ClientFile): Snippet {
  const file = typeof path === 'string' ? path : path.linux.replace(/^.*\//, '')
  const text = format === 'json' ? toJson({ ...also, [servers]: { [key]: entry } }) : toTable(servers, key, entry)
  return { language: format, file, text }
}

/** A table of TOML, of texts and lists of texts. */
export const toTable = (servers: string, key: string, entry: object): string =>
  [`[${servers}.${key}]`, ...Object.entries(entry).map(([name, value]) => `${name} = ${toToml(value)}`)].join('\n')
