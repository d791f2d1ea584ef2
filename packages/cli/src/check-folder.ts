// Loads the folders of tools as the server would, without listening, and collects the findings.
import { FolderSource } from 'toolrack/folder'
import { buildServer, Toolrack } from 'toolrack/server'
import { assertToolsDir, resolveSettings, type Settings } from 'toolrack/settings'
import { type ContractFile, type ContractFindings, checkContract } from './check-contract.ts'
import {
  collectEntries,
  collectErrors,
  collectWarnings,
  createLocator,
  type Finding,
  type FoundEntry,
  type LogLine,
} from './check-findings.ts'
import { CommandError } from './errors.ts'
import { guardProcessEnd } from './run-server.ts'
import { readSettingOptions } from './setting-options.ts'

export interface Findings {
  readonly folders: readonly string[]
  readonly entries: readonly FoundEntry[]
  readonly errors: readonly Finding[]
  readonly warnings: readonly Finding[]
  readonly contract?: ContractFindings | undefined
}

/** @throws CommandError or ConfigError if the folder or the contract cannot be read */
export async function checkFolders(paths: readonly string[], contract: ContractFile | undefined): Promise<Findings> {
  const { settings } = readSettingOptions({ options: {}, folders: paths })
  assertToolsDir(settings.toolsDir, paths.length === 0 ? 'TOOLS_DIR' : 'folder')
  // Without a handler for Ctrl-C: if a file is in an endless loop, only the default action ends the
  // process.
  return keepStdout(() => {
    guardProcessEnd()
    return load(settings, contract)
  })
}

/** Turns off everything that is not needed to load tools: state, access, logs. */
const OFF = {
  serverIcon: undefined,
  instructionsFile: undefined,
  samples: false,
  watchTools: false,
  logLevel: 'warn',
  metrics: false,
  metricsPort: undefined,
  redisUrl: undefined,
  auditFile: undefined,
  auditRequired: false,
  jwtSecret: undefined,
  jwtJwksUrl: undefined,
  issuersFile: undefined,
  apiKeysFile: undefined,
  jwtAlgorithms: undefined,
  jwtIssuer: undefined,
  jwtAudience: undefined,
  jwtAudienceOptional: undefined,
  jwtClientIds: undefined,
  jwtRequiredClaims: undefined,
  requiredScopes: undefined,
  jwtScopeClaims: undefined,
  jwtScopePrefix: undefined,
  jwtClaims: undefined,
  tokenExchangeUrl: undefined,
  tokenExchangeClientId: undefined,
  tokenExchangeClientSecret: undefined,
  tokenExchangeGrant: undefined,
  drainMs: 0,
} as const satisfies Partial<Settings>

async function load(settings: Settings, contractFile: ContractFile | undefined): Promise<Findings> {
  const { toolsDir } = settings
  const lines: LogLine[] = []
  const log = { write: (line: string) => void lines.push(JSON.parse(line)) }
  // A file may hang without a timer. Then the process would end before the finding is printed.
  const alive = setInterval(() => {}, 1000)
  const app = await buildServer(resolveSettings({ ...settings, ...OFF }), log)
  try {
    const runtime = Toolrack.runtime(app.toolrack)
    const folders = runtime.sources.all.find(each => each instanceof FolderSource)!
    await folders.settled()
    if (folders.isEmpty) throw new CommandError(explainEmpty(toolsDir))
    const locate = createLocator(toolsDir[0]!, folders)
    const entries = collectEntries(runtime.catalog, folders, locate)
    const contract = contractFile && (await checkContract(runtime, contractFile))
    // This runs `close` of the files.
    await app.close()
    return {
      folders: toolsDir,
      entries,
      errors: collectErrors(folders, lines, locate),
      warnings: collectWarnings(lines, locate),
      contract,
    }
  } finally {
    clearInterval(alive)
    await app.close()
  }
}

function explainEmpty(toolsDir: readonly string[]): string {
  const subject = toolsDir.length === 1 ? `${toolsDir[0]} has` : `${toolsDir.join(' and ')} have`
  return `${subject} no file of a tool, such as hello.ts; toolrack init makes a first one`
}

/** Sends output of tools during the load to stderr: stdout is for the findings only. */
async function keepStdout<T>(work: () => Promise<T>): Promise<T> {
  const { write } = process.stdout
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof write
  try {
    return await work()
  } finally {
    process.stdout.write = write
  }
}
