// Reads a Dockerfile: its stages, and the instructions of each.

export interface Instruction {
  readonly keyword: string
  /** `--from=build` → `{ from: 'build' }`. */
  readonly flags: Readonly<Record<string, string>>
  readonly text: string
  /** The words, or the elements of the JSON form. */
  readonly words: readonly string[]
}

export interface Stage {
  readonly base: string
  readonly instructions: readonly Instruction[]
}

/** @throws Error if it does not begin with FROM */
export function parseDockerfile(text: string): readonly Stage[] {
  const stages: { base: string; instructions: Instruction[] }[] = []
  for (const line of toLines(text)) {
    const instruction = parseInstruction(line)
    if (instruction.keyword === 'FROM') stages.push({ base: instruction.words[0]!, instructions: [] })
    else if (stages.length === 0) throw new Error(`expected FROM before ${line}`)
    else stages.at(-1)!.instructions.push(instruction)
  }
  return stages
}

const toLines = (text: string): string[] =>
  text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter(line => line.trim() !== '')

function parseInstruction(line: string): Instruction {
  const [, keyword = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
  const flags: Record<string, string> = {}
  const text = rest.replace(/^(?:--([\w-]+)=(\S+)\s+)+/, all => {
    for (const [, name, value] of all.matchAll(/--([\w-]+)=(\S+)/g)) flags[name!] = value!
    return ''
  })
  // HEALTHCHECK has an instruction of its own in it.
  const command = keyword === 'HEALTHCHECK' ? text.replace(/^CMD\s+/, '') : text
  const words: string[] = command.startsWith('[') ? JSON.parse(command) : command.split(/\s+/)
  return { keyword: keyword.toUpperCase(), flags, text, words }
}
