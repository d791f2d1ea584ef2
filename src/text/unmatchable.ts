// Entries of a list that can never match what others send: those of JSON, in quotes, or with the
// comment of a line, which docker run --env-file keeps.

export const isUnmatchable = (entry: string): boolean => /^["'`[]|["'`]$|\s#/.test(entry)
