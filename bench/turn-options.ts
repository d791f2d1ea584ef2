// Reads the options of bench/turns.ts from the command line.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { TargetOptions, ToolName } from './turn-targets.ts'

export interface TurnOptions extends TargetOptions {
  readonly rounds: number
  /** Duration of a turn, s. */
  readonly seconds: number
  readonly connections: number
  readonly tools: readonly ToolName[]
}

const LOADS: Readonly<Record<string, readonly ToolName[]>> = {
  echo: ['echo'],
  add: ['add'],
  large: ['large'],
  both: ['echo', 'add'],
}

export const readOptions = (): TurnOptions => orExit(parseOptions)

/** Exits with a message if an option is wrong. */
export function orExit<Options>(parse: () => Options): Options {
  try {
    return parse()
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}

function parseOptions(): TurnOptions {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string', default: '1' },
      connections: { type: 'string', default: '64' },
      load: { type: 'string' },
      handlers: { type: 'string', default: 'sync' },
      base: { type: 'string' },
      redis: { type: 'string' },
      sqlite: { type: 'string' },
      plain: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
    },
  })
  const { short: isShort, base, redis, sqlite } = values
  return {
    rounds: parseCount('rounds', values.rounds ?? (isShort ? '8' : '20')),
    seconds: parseCount('seconds', values.seconds),
    connections: parseCount('connections', values.connections),
    tools: parseLoad(values.load ?? (isShort ? 'echo' : 'both')),
    baseEntry: base === undefined ? undefined : findEntry(base),
    redis,
    sqlite,
    hasTokens: !isShort,
    hasPlainHttp: values.plain,
    handlers: parseHandlers(values.handlers),
  }
}

export function parseCount(name: string, value: string): number {
  const count = Number(value)
  if (Number.isInteger(count) && count > 0) return count
  throw new Error(`--${name}=${value} is not a whole number above 0`)
}

export function parseLoad(value: string): readonly ToolName[] {
  const tools = Object.hasOwn(LOADS, value) ? LOADS[value] : undefined
  if (tools === undefined) throw new Error(`--load=${value} is none of ${Object.keys(LOADS).join(', ')}`)
  return tools
}

export function parseHandlers(value: string): 'sync' | 'async' {
  if (value === 'sync' || value === 'async') return value
  throw new Error(`--handlers=${value} is neither sync nor async`)
}

export function findEntry(folder: string): string {
  const path = resolve(folder, 'dist/src/index.js')
  if (!existsSync(path)) throw new Error(`--base=${folder}: ${path} does not exist; run "npm run build" in that folder`)
  return pathToFileURL(path).href
}
