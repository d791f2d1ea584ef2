// Keeps the contract of a set of tools in a file, and fails when a change breaks callers.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import stringify from 'safe-stable-stringify'
import { dropMark } from 'toolrack/access'
import { isObject } from 'toolrack/protocol'
import type { TestTools } from '../test-tools.ts'
import { findBreakingChanges } from './breaking-changes.ts'
import type { Contract } from './contract.ts'

/** The tools break callers that rely on their contract. */
export class ContractError extends Error {
  override name = 'ContractError'
  /** One sentence for each break. */
  readonly breaks: readonly string[]

  constructor(path: string, breaks: readonly string[]) {
    const list = breaks.map(each => `- ${each}`).join('\n')
    super(`${path}: callers break:\n${list}\nIf they may, run the tests with UPDATE_CONTRACT=1 and commit the file.`)
    this.breaks = breaks
  }
}

/**
 * Compares the tools that the caller sees with the contract in a file. Writes a missing file. Writes
 * the file again if it is out of date but nothing breaks. With `CI` set, writes nothing. With
 * `UPDATE_CONTRACT` set, always writes the file.
 *
 * @param file a path, or a URL, of a JSON file to commit
 * @throws ContractError naming each break; Error if the file is missing in CI, or is not a contract
 */
export async function expectContract(tools: TestTools, file: string | URL): Promise<void> {
  const path = file instanceof URL ? fileURLToPath(file) : file
  const contract = await tools.contract()
  const text = formatContract(contract)
  if (isSet('UPDATE_CONTRACT')) return write(path, text)
  if (!existsSync(path)) {
    if (isSet('CI')) throw new Error(`${path} is missing: run the tests outside of CI, which writes it, and commit it`)
    return write(path, text)
  }
  const kept = readContract(path)
  const breaks = findBreakingChanges(parseContract(kept, path), JSON.parse(text))
  if (breaks.length > 0) throw new ContractError(path, breaks)
  if (kept !== text && !isSet('CI')) write(path, text)
}

/** The text of a contract's file. */
export const readContract = (path: string): string => dropMark(readFileSync(path)).toString()

/**
 * Writes a contract as text.
 * Sorted and indented, so that a diff shows what has changed.
 */
export const formatContract = (contract: Contract): string => `${stringify(contract, undefined, 2)}\n`

/**
 * Reads the text of a contract.
 * @throws Error if the text is not a contract
 */
export function parseContract(text: string, path: string): Contract {
  const contract = parseJson(text, path)
  const tools = isObject(contract) ? contract['tools'] : undefined
  if (isObject(tools) && Object.values(tools).every(tool => isObject(tool) && isObject(tool['inputSchema'])))
    return contract as unknown as Contract
  throw new Error(`${path} is not a contract: expected { "tools": { … } }, each with its inputSchema`)
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${path} is not a contract: ${(cause as Error).message}`, { cause })
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const isSet = (name: string): boolean => !['', '0', 'false'].includes(process.env[name] ?? '')
