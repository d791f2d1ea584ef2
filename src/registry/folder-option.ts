// `folder('./tools')`: a tools folder at a place of its own among the sources.
import type { DefinitionSource } from './source.ts'
import type { InnerTarget } from './sources.ts'

/**
 * A tools folder as a source, so that it has a place in the order, and transforms.
 *
 * @param path absolute, or from the working directory; it may be created later
 */
export function folder(path: string): DefinitionSource {
  let opened: DefinitionSource | undefined
  let isStarted = false
  return {
    name: `tools folder ${path}`,
    // As long as the folders of `toolsDir`.
    startWithinMs: 60_000,
    async start(target) {
      const { openFolder } = target as Partial<InnerTarget>
      if (openFolder === undefined) throw new Error('a folder stands in the option sources, not within a source')
      // Each has a place of its own, and transforms.
      if (isStarted) throw new Error('the same source stands twice; call folder() for each')
      isStarted = true
      opened ??= openFolder(path)
      await opened.start(target)
    },
    reload: async options => opened?.reload?.(options),
    status: () => opened?.status?.() ?? { isReady: true, problems: [] },
    async close() {
      await opened?.close?.()
      opened = undefined
      isStarted = false
    },
  }
}
