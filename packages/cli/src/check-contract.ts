// `toolrack check --contract`: compares the tools with the file that `expectContract` of
// toolrack/testing keeps.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  findBreakingChanges,
  formatContract,
  parseContract,
  readContract,
  TestClient,
  TestTools,
} from 'toolrack/contract'
import type { Runtime } from 'toolrack/server'
import { CommandError } from './errors.ts'

export interface ContractFile {
  readonly file: string
  /** Whether the file is written. */
  readonly isUpdated: boolean
}

export interface ContractFindings {
  readonly file: string
  /** One sentence for each change that breaks callers. */
  readonly breaks: readonly string[]
  /** Whether the file differs from the tools although nothing breaks. */
  readonly isOutOfDate: boolean
  readonly isWritten: boolean
}

/** @throws CommandError if the file is missing or is not a contract, or a tool lacks a variable */
export async function checkContract(runtime: Runtime, { file, isUpdated }: ContractFile): Promise<ContractFindings> {
  assertNoneLacks(runtime)
  const tools = new TestTools(new TestClient(runtime), { options: {}, clock: undefined, close: async () => {} })
  const text = formatContract(await tools.contract())
  if (isUpdated) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return { file, breaks: [], isOutOfDate: false, isWritten: true }
  }
  if (!existsSync(file)) throw new CommandError(`${file} is missing: --update beside --contract writes it; commit it`)
  const kept = readContract(file)
  const breaks = findBreakingChanges(parseKept(kept, file), JSON.parse(text))
  return { file, breaks, isOutOfDate: breaks.length === 0 && kept !== text, isWritten: false }
}

function assertNoneLacks({ catalog }: Runtime): void {
  const lacking = catalog.disabled.find(({ entry, missing }) => entry.kind === 'tool' && missing.length > 0)
  if (lacking === undefined) return
  const { entry, missing } = lacking
  throw new CommandError(
    `${entry.key}: it needs ${missing.join(', ')}, so the contract would lose the tool; ` +
      `set it, or leave the tool out: TOOLS_EXCLUDE=${entry.key}`,
  )
}

function parseKept(text: string, file: string) {
  try {
    return parseContract(text, file)
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}
