// The URIs of kept files: a random id, and a name for people.
const PREFIX = 'toolrack://files/'

export const createFileUri = (id: string, name: string): string => `${PREFIX}${id}/${encodeURIComponent(name)}`

export const isFileUri = (uri: unknown): uri is string => typeof uri === 'string' && uri.startsWith(PREFIX)

/** The id and the name, as one path. */
export const toFilePath = (uri: string): string => uri.slice(PREFIX.length)

export const readFileId = (uri: string): string => uri.slice(PREFIX.length).split('/', 1)[0]!
