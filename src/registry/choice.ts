// Which tools an operator wants served, by globs of their names: TOOLS_INCLUDE and TOOLS_EXCLUDE.
import picomatch from 'picomatch'

export interface Choice {
  has(name: string): boolean
  /** The globs that none of these names matches: slips of the pen, most likely. */
  idle(names: readonly string[]): readonly string[]
}

/** @param include what is served; undefined: everything that is not excluded */
export function choiceOf(include: readonly string[] | undefined, exclude: readonly string[] = []): Choice {
  const isIncluded = include === undefined ? () => true : matcher(include)
  const isExcluded = matcher(exclude)
  return {
    has: name => isIncluded(name) && !isExcluded(name),
    idle: names => [...(include ?? []), ...exclude].filter(glob => !names.some(name => matcher([glob])(name))),
  }
}

const matcher = (globs: readonly string[]) => picomatch([...globs], { dot: true })
