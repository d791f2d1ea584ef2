// EXEC_ALLOW: which programs may be run, and what precedes the arguments of a call. Read once, when the tool is loaded.
import { accessSync, constants, statSync } from 'node:fs'
import { basename, delimiter, isAbsolute, join } from 'node:path'

const SETTING = 'EXEC_ALLOW'

export interface Program {
  /** What a call names: the entry without its last `--`, and without the folder of the program. */
  readonly name: string
  /** The executable, absolute. */
  readonly path: string
  /** They precede the arguments of a call; where the last is `--`, those are operands, however they begin. */
  readonly fixedArgs: readonly string[]
}

/**
 * @param setting such as `ls,git log --oneline --,/usr/bin/jq`; empty: none
 * @throws Error naming the entry and what was expected
 */
export function programsOf(setting: string): ReadonlyMap<string, Program> {
  const entries = setting.split(',').flatMap(entry => entry.trim() || [])
  if (setting !== '' && entries.length === 0) throw new Error(`${SETTING}: expected at least one program`)
  const programs = new Map<string, Program>()
  for (const entry of entries) {
    const program = programOf(entry)
    if (programs.has(program.name)) throw faultOf(entry, `a second entry is named ${JSON.stringify(program.name)}`)
    programs.set(program.name, program)
  }
  return programs
}

function programOf(entry: string): Program {
  const [program = '', ...fixedArgs] = entry.split(/\s+/)
  const path = isAbsolute(program) ? program : inPath(entry, program)
  if (!isExecutable(path)) throw faultOf(entry, 'it is no executable file')
  const shown = fixedArgs.at(-1) === '--' ? fixedArgs.slice(0, -1) : fixedArgs
  return { name: [basename(program), ...shown].join(' '), path, fixedArgs }
}

// Looked up here and not at each call: what is put into a folder of PATH later is not what the operator has allowed.
function inPath(entry: string, name: string): string {
  if (!/^\w[\w.+-]*$/.test(name)) throw faultOf(entry, 'expected the name of a program or its absolute path')
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  const path = folders.map(folder => join(folder, name)).find(isExecutable)
  if (path === undefined) throw faultOf(entry, 'no folder of PATH has that program')
  return path
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const faultOf = (entry: string, fault: string) => new Error(`${SETTING}: ${JSON.stringify(entry)}: ${fault}`)
