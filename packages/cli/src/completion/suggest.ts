// Suggests the last word of a command line, from the program's own commands, options and arguments.
import type { Argument, Command, Option } from 'commander'
import type { Io } from '../io.ts'
import { exit } from '../process.ts'
import { FILES, KINDS, type Kind, type Suggestion } from './kinds.ts'

interface Request {
  readonly shell: string
  /** The words after the name of the program. The last one is being written, and may be empty. */
  readonly words: readonly string[]
}

/** Other characters may have a meaning for a shell, and servers choose the names of tools. */
const PLAIN = /^[\w./:=@%+,-]+$/

/** Never fails: a line may simply have no suggestions. */
export async function printSuggestions(program: Command, { shell, words }: Request, io: Io): Promise<void> {
  const joined = shell === 'bash' ? joinPieces(words) : words
  const found = await suggest(program, joined).catch(() => [])
  // Bash completes only the text after the last of these characters.
  const kept = shell === 'bash' ? (/^.*[=:]/s.exec(joined.at(-1) ?? '')?.[0].length ?? 0) : 0
  const lines = found.flatMap(({ value, description = '' }) => {
    if (value === FILES) return FILES
    return PLAIN.test(value) ? `${value.slice(kept)}\t${description.replace(/\s+/g, ' ')}` : []
  })
  if (lines.length > 0) io.print(lines.join('\n'))
  // A server that does not answer would keep the process alive.
  await exit(io, 0)
}

/** Bash splits `--level=info` and `http://host` at characters of COMP_WORDBREAKS. */
function joinPieces(pieces: readonly string[]): readonly string[] {
  const words: string[] = []
  let isJoined = false
  for (const piece of pieces) {
    const isBreak = /^[=:]+$/.test(piece)
    if (words.length > 0 && (isBreak || isJoined)) words[words.length - 1] += piece
    else words.push(piece)
    isJoined = isBreak
  }
  return words
}

export async function suggest(program: Command, words: readonly string[]): Promise<readonly Suggestion[]> {
  const current = words.at(-1) ?? ''
  const { command, positionals, pending, isEnded } = read(program, words.slice(0, -1))
  const all = await list({ program, command, positionals, pending, current, isEnded })
  return all.filter(({ value }) => value === FILES || value.startsWith(current))
}

interface Line {
  readonly program: Command
  readonly command: Command
  readonly positionals: readonly string[]
  /** The option whose value comes next. */
  readonly pending: Option | undefined
  /** Whether `--` has ended the options. */
  readonly isEnded: boolean
}

function read(program: Command, words: readonly string[]): Omit<Line, 'program'> {
  let command = program
  let pending: Option | undefined
  let isEnded = false
  const positionals: string[] = []
  for (const word of words) {
    if (pending !== undefined) pending = undefined
    else if (!isEnded && word === '--') isEnded = true
    else if (!isEnded && word.startsWith('-')) pending = findTaker(command, word)
    else {
      const next = positionals.length === 0 ? findCommand(command, word) : undefined
      if (next === undefined) positionals.push(word)
      else command = next
    }
  }
  return { command, positionals, pending, isEnded }
}

/** Includes `help`, which the library adds. */
const listCommands = (command: Command): readonly Command[] => command.createHelp().visibleCommands(command)

const findCommand = (command: Command, name: string): Command | undefined =>
  listCommands(command).find(each => each.name() === name || each.aliases().includes(name))

/** The option whose value is the next word. */
const findTaker = (command: Command, word: string): Option | undefined =>
  command.options.find(each => [each.long, each.short].includes(word) && (each.required || each.optional))

async function list({ program, command, positionals, pending, current, isEnded }: Line & { current: string }) {
  if (pending !== undefined) return listValues(pending)
  const [, name] = /^(--[\w-]+)=/.exec(current) ?? []
  if (name !== undefined && !isEnded) {
    const option = command.options.find(each => each.long === name)
    const values = option === undefined ? [] : listValues(option)
    return values.map(each => (each.value === FILES ? each : { ...each, value: `${name}=${each.value}` }))
  }
  if (current.startsWith('-') && !isEnded) return listOptions(command)
  const names = positionals.length > 0 ? [] : listCommands(command).map(toSuggestion)
  return [...names, ...(await listArguments(program, command, positionals))]
}

const toSuggestion = (command: Command): Suggestion => ({ value: command.name(), description: command.summary() })

const listOptions = (command: Command): readonly Suggestion[] =>
  [...command.options.filter(each => !each.hidden), HELP].map(each => ({
    value: each.long!,
    description: each.description,
  }))

const HELP = { long: '--help', description: 'shows the help' }

/** The values of an option: its choices, or suggestions by the name of its value. */
function listValues({ argChoices, flags }: Option): readonly Suggestion[] {
  if (argChoices !== undefined) return argChoices.map(value => ({ value }))
  return /<(?:file|folder|path)>/.test(flags) ? [{ value: FILES }] : []
}

/** If the server, the first argument, was left out, the first word is the second argument. */
async function listArguments(
  program: Command,
  command: Command,
  positionals: readonly string[],
): Promise<readonly Suggestion[]> {
  const all = command.registeredArguments
  const hasServer = all[0]?.name() === 'URL' && !all[0].required
  const { isServer } = await import('../client/target.ts')
  const server = hasServer && positionals[0] !== undefined && isServer(positionals[0]) ? positionals[0] : undefined
  const index = positionals.length + (hasServer && positionals.length > 0 && server === undefined ? 1 : 0)
  const places = hasServer && positionals.length === 0 ? all.slice(0, 2) : [all[index] ?? findVariadic(all)]
  const lists = places.map(place => (place === undefined ? [] : listKind(place, { program, server })))
  return (await Promise.all(lists)).flat()
}

const findVariadic = (all: readonly Argument[]): Argument | undefined => (all.at(-1)?.variadic ? all.at(-1) : undefined)

async function listKind(argument: Argument, context: Parameters<Kind>[0]): Promise<readonly Suggestion[]> {
  if (argument.argChoices !== undefined) return argument.argChoices.map(value => ({ value }))
  const kind = Object.hasOwn(KINDS, argument.name()) ? KINDS[argument.name()] : undefined
  return (await kind?.(context)) ?? []
}
