// Reads EXEC_ALLOW, once, when the tool is loaded: the programs that a call may run, and the fixed
// arguments before those of a call.
import { accessSync, constants, statSync } from 'node:fs'
import { basename, delimiter, isAbsolute, join } from 'node:path'

const SETTING = 'EXEC_ALLOW'

export interface Program {
  /** The name used by a call: the entry without a final `--` and without the program's folder. */
  readonly name: string
  /** Absolute path of the executable. */
  readonly path: string
  /** Precede the arguments of a call. If the last one is `--`, those are operands, not options. */
  readonly fixedArgs: readonly string[]
}

/**
 * @param setting such as `ls,git log --oneline --,/usr/bin/jq`; empty: no program
 * @throws Error that names the entry and what was expected
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
  if (!isExecutable(path)) throw faultOf(entry, 'expected an executable file')
  const shown = fixedArgs.at(-1) === '--' ? fixedArgs.slice(0, -1) : fixedArgs
  return { name: [basename(program), ...shown].join(' '), path, fixedArgs }
}

// Resolved now, not at each call: a program added to a folder of PATH later is not the one that the
// operator has allowed.
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
