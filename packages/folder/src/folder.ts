// `folder('./tools')`: a tools folder at a place of its own among the sources.
import type { InnerTarget } from 'toolrack/definitions'
import type { DefinitionSource } from 'toolrack/source'

/**
 * A tools folder as a source; so it has a place in the order, and transforms.
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
      const { host } = target as Partial<InnerTarget>
      if (host === undefined) throw new Error('a folder stands in the option sources, not within a source')
      // Each has a place of its own, and transforms.
      if (isStarted) throw new Error('the same source stands twice; call folder() for each')
      isStarted = true
      if (opened === undefined) {
        // In the turn of the start: no source serves anything before the rules of all folders are known.
        const places = [host.hooks.addFolder()]
        const { FolderSource } = await import('./folder-source.ts')
        opened = new FolderSource([path], { ...host, places })
      }
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
