// Errors about a path or the files folder, in words for the model. They never contain the location
// of the folder.
import { ToolError } from 'toolrack'

const quoted = (path: string) => JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path)

export function refused(path: string): ToolError {
  return new ToolError(
    `${quoted(path)} is refused. Use a path relative to the files folder, such as "sales/2026.csv": ` +
      'without "." and "..", slashes at its ends, backslashes, colons, links, names of devices, or dots and spaces at ' +
      'the end of a name.',
  )
}

export function notThere(path: string, cause?: unknown): ToolError {
  return new ToolError(`There is no readable file ${quoted(path)} in the files folder. See list_files.`, { cause })
}

export function noSuchFolder(path: string, cause?: unknown): ToolError {
  return new ToolError(`There is no readable folder ${quoted(path)} in the files folder. See list_files.`, { cause })
}

export function notRegular(path: string): ToolError {
  return new ToolError(`${quoted(path)} is not a regular file. Name a file, as list_files shows them.`)
}

export function noFilesFolder(): ToolError {
  return new ToolError('The folder that FILES_DIR names cannot be read. Tell the operator.')
}

export function existsAlready(path: string): ToolError {
  return new ToolError(`${quoted(path)} exists already. Choose another path, or set overwrite to true to replace it.`)
}

export function hasChanged(path: string): ToolError {
  return new ToolError(`${quoted(path)} was replaced by another file meanwhile. Nothing was deleted; call again.`)
}

/** Explains a failed write or removal; returns an error of any other kind unchanged. */
export function faultOfChange(error: unknown, path: string): unknown {
  if (isDenied(error)) {
    return new ToolError(`This server may not change ${quoted(path)}. Choose another path, or tell the operator.`)
  }
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new ToolError(`The disk of the files folder is full: ${quoted(path)} is as it was. Delete files first.`)
    case 'ENOTDIR':
      return noSuchFolder(path)
    case 'EISDIR':
      return notRegular(path)
    case 'ENOENT':
      return new ToolError(`The folder of ${quoted(path)} was removed meanwhile. Call again.`)
    case undefined:
      return error
    default:
      return new ToolError(`${quoted(path)} could not be changed (${codeOf(error)}). Tell the operator.`)
  }
}

/** Reports if the name, or a folder on the way to it, does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'
}

export function isDenied(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}
