// What sources get of a server, without the server: nothing is masked, and no files are watched.
import { types } from 'node:util'
import { Hooks } from '../../src/registry/hooks.ts'
import type { SourceHost } from '../../src/registry/source-host.ts'
import { createLevels } from '../../src/registry/tool-server.ts'

const NO_LOG = createLevels(() => {})

export const sourceHost = (parts: Pick<SourceHost, 'catalog' | 'log'> & Partial<SourceHost>): SourceHost => ({
  hooks: new Hooks({}, { log: parts.log, explain: String }),
  isWatched: false,
  isStrict: false,
  guard: {
    load: (_file, work) => work(),
    explain: thrown =>
      types.isNativeError(thrown) ? thrown.message : String(typeof thrown === 'object' ? 'an object' : thrown),
  },
  variables: { names: [], load: () => 0, onChange: () => () => {} },
  fileLog: () => NO_LOG,
  onChanged: () => {},
  ...parts,
})
