// Creates the sources of a server in their order: first the program, then the composed ones.
import { isSecretName } from './config/environment.ts'
import type { ResolvedOptions } from './config/options.ts'
import { toFileName } from './config/secret-files.ts'
import { isToolsStrict, watchesTools } from './config/settings.ts'
import { createFileLog } from './execution/client-log.ts'
import { errorText } from './execution/error-text.ts'
import type { Executor } from './execution/executor.ts'
import type { LiveSecrets } from './execution/live-secrets.ts'
import { createLoadMask, type Mask } from './execution/mask.ts'
import { runAttributedToFile } from './execution/unhandled-errors.ts'
import type { Audit } from './observability/audit.ts'
import type { Catalog } from './registry/catalog.ts'
import { CodeSource } from './registry/code-source.ts'
import type { Hooks } from './registry/hooks.ts'
import type { DefinitionSource } from './registry/source.ts'
import type { LoadGuard, OpenVariables, SourceHost } from './registry/source-host.ts'
import { Sources } from './registry/sources.ts'
import type { Log } from './request/exchange.ts'

export interface SourcesParts {
  readonly catalog: Catalog
  readonly executor: Executor
  readonly hooks: Hooks
  readonly audit: Audit
  readonly secrets: readonly string[]
  readonly liveSecrets: LiveSecrets
  readonly log: Log
}

export interface SourcePlan {
  /** Makes those that settings and options name, in their order. */
  create(host: SourceHost): readonly DefinitionSource[]
  readonly openVariables: OpenVariables
}

export interface DefinitionSources {
  readonly sources: Sources
  /** The definitions of the program. */
  readonly code: CodeSource
}

export function openSources(options: ResolvedOptions, plan: SourcePlan, parts: SourcesParts): DefinitionSources {
  const { catalog, executor, log } = parts
  const host = createHost(options, plan, parts)
  const sources = new Sources(catalog, log, { explain: thrown => errorText(thrown, executor.mask), host })
  const code = new CodeSource(catalog, sources.open('the program'), log)
  const all = plan.create(host)
  for (const source of all) sources.add(source)
  // Clients may connect before a source has put its tools.
  if (all.length > 0) catalog.tools.expectEntries()
  return { sources, code }
}

function createHost(
  { settings, isPlugin }: ResolvedOptions,
  { openVariables }: SourcePlan,
  { catalog, executor, hooks, audit, secrets, liveSecrets, log }: SourcesParts,
): SourceHost {
  return {
    catalog,
    hooks,
    log,
    isWatched: watchesTools(settings),
    guard: createLoadGuard(createLoadMask(secrets, liveSecrets), executor),
    fileLog: file => createFileLog(file, log, executor.mask),
    onChanged: fields => audit.record({ event: 'tools-changed', ...fields }),
    // A plugin has no /ready that could report it.
    isStrict: !isPlugin && isToolsStrict(settings),
    variables: openVariables({
      onRenewed(name, value) {
        if (isSecretName(name)) liveSecrets.keep(value)
        audit.record({ event: 'secret-renewed', setting: toFileName(name) })
      },
      log,
    }),
  }
}

/** Attributes unhandled errors of a tool file's top level to that file. */
function createLoadGuard(mask: Mask, { reportUnhandledError }: Executor): LoadGuard {
  return {
    load: (file, work) => runAttributedToFile(file, reportUnhandledError, work),
    // The tool's author must see which file was missing or which setting is wrong.
    explain: thrown => errorText(thrown, mask),
  }
}
