// Entries of a list that can never match a client's value: those with JSON, with quotes, or with the
// comment of a line, which docker run --env-file keeps.

export const isUnmatchable = (entry: string): boolean => /^["'`[]|["'`]$|\s#/.test(entry)
