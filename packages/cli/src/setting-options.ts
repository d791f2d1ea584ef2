// Every setting as an option of `toolrack start`, from the table of settings: RATE_LIMIT_MAX is
// --rate-limit-max. An option takes precedence over the environment. Secrets are refused, because
// other users of the machine can read the arguments of a process.
import { type Command, Help, Option } from 'commander'
import { findSecretFiles, readEnvironment, SECRET_FILES } from 'toolrack/environment'
import {
  assertToolsDir,
  ConfigError,
  isFlag,
  isSecret,
  SECTIONS,
  SETTINGS,
  type SecretFile,
  type SettingName,
  type Settings,
  toFileName,
  toKey,
} from 'toolrack/settings'
import { COMMON_SETTINGS } from './common-settings.ts'
import { describeDefault, describeValue } from './describe-setting.ts'
import { UsageError } from './errors.ts'

type GivenOptions = Readonly<Record<string, string | boolean | undefined>>

/** `RATE_LIMIT_MAX` → `--rate-limit-max`. */
const toFlag = (name: string) => `--${name.toLowerCase().replaceAll('_', '-')}`

/** The value of an option, by the end of its name. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/_URL$/, '<url>'],
  [/_DIR$/, '<folder>'],
  [/_FILE$/, '<file>'],
  [/_(?:MS|WINDOW)$/, '<ms>'],
  [/_BYTES$/, '<bytes>'],
  [/(?:PORT|_MAX|_SIZE|_CALLS)$/, '<number>'],
]

const toValue = (name: string) => VALUES.find(([pattern]) => pattern.test(name))?.[1] ?? '<value>'

export function addSettingOptions(command: Command): void {
  for (const { title, rows } of SECTIONS) {
    for (const name of Object.keys(rows) as SettingName[]) {
      for (const option of createOptions(name)) command.addOption(option.helpGroup(`${title}:`))
    }
  }
  command.addOption(new Option('--all', 'with --help: shows every option'))
  command.configureHelp({
    ...command.configureHelp(),
    visibleOptions: listShown,
    optionTerm: formatTerm,
    optionDescription: describeOption,
  })
}

const help = new Help()

/** Maximum length of the text beside an option, on a terminal of 80 columns. */
const MAX_COMMON = 50

/** All settings with `--all`; else those of COMMON_SETTINGS, with its groups and texts. */
function listShown(command: Command): Option[] {
  const all = help.visibleOptions(command)
  if (command.opts()['all'] === true) return all
  const common = COMMON_SETTINGS.flatMap(({ title, settings }) =>
    Object.entries(settings).map(([name, text]) => {
      const [shown] = createOptions(name as SettingName).filter(option => !option.hidden)
      const whole = `${text}${describeFallback(name as SettingName)}`
      return new Option(shown!.flags, whole.length > MAX_COMMON ? text : whole).helpGroup(`${title}:`)
    }),
  )
  return [...all.filter(option => option.description !== ''), ...common]
}

function createOptions(name: SettingName): Option[] {
  const flag = toFlag(name)
  if (isSecret(name)) return [new Option(`${flag} [value]`).hideHelp(), new Option(`${flag}-file <file>`)]
  if (!isFlag(name)) return [new Option(`${flag} ${toValue(name)}`)]
  return [new Option(flag), new Option(flag.replace('--', '--no-')).hideHelp()]
}

const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]
/** The variables behind the options: settings, and the files of secrets. */
const VARIABLES: readonly string[] = [...SETTING_NAMES, ...SECRET_FILES]
const findSetting = ({ long }: Option) => SETTING_NAMES.find(name => toFlag(name) === long)

const findSecretOfFile = ({ long }: Option) =>
  SETTING_NAMES.find(name => isSecret(name) && toFlag(toFileName(name)) === long)

/** `--metrics` is shown as `--[no-]metrics`. */
function formatTerm(option: Option): string {
  const name = findSetting(option)
  return name !== undefined && isFlag(name) ? option.flags.replace('--', '--[no-]') : option.flags
}

/** Only for the help: to describe all settings would add some 5 ms to each command. */
function describeOption(option: Option): string {
  if (option.description !== '') return option.description
  const ofFile = findSecretOfFile(option)
  if (ofFile !== undefined) return `The file that has ${ofFile}.`
  const name = findSetting(option)
  return name === undefined ? '' : describe(name)
}

/** The first sentence, with options in place of settings. */
function describe(name: SettingName): string {
  const { meaning } = SETTINGS[name]
  const [sentence = ''] = toPlain(meaning).split(/(?<=[^.]\.) /)
  const text = isFlag(name) ? sentence.replace(/^true (\w)/, (_, letter: string) => letter.toUpperCase()) : sentence
  const value = describeValue(SETTINGS[name])
  const choices = value.startsWith('one of ') ? ` O${value.slice(1)}.` : ''
  return `${text}${choices}${describeFallback(name)}`
}

function describeFallback(name: SettingName): string {
  const { byDefault } = SETTINGS[name]
  const fallback = describeDefault(name, SETTINGS[name])
  const isOff = isFlag(name) && fallback?.value === 'false'
  const ofTable = isOff ? undefined : (fallback?.inWords ?? fallback?.value)
  const shown = byDefault === undefined ? ofTable : toPlain(byDefault)
  return shown === undefined ? '' : ` (default: ${shown})`
}

/** Markdown as plain text. */
function toPlain(markdown: string): string {
  return markdown
    .replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .replace(/\b[A-Z][A-Z_]+\b(?:=true)?/g, text => {
      const name = text.replace('=true', '') as SettingName
      return Object.hasOwn(SETTINGS, name) && !isSecret(name) ? toFlag(name) : text
    })
}

interface Given {
  readonly options: GivenOptions
  /** The arguments, each with a folder. */
  readonly folders?: readonly string[]
  /** Settings that the environment may replace. */
  readonly defaults?: Readonly<Partial<Record<SettingName, string>>>
}

/** @throws UsageError for an invalid option, ConfigError for an invalid variable */
export function readSettingOptions(
  { options, folders = [], defaults = {} }: Given,
  environment = process.env,
): { readonly settings: Settings; readonly secretFiles: readonly SecretFile[] } {
  const given = collectGiven(options)
  if (folders.length > 0) {
    if (given.has('TOOLS_DIR')) throw new UsageError('--tools-dir: expected either it or the folder, not both')
    given.set('TOOLS_DIR', folders.join())
  }
  const lists = folders.length > 0 ? { TOOLS_DIR: folders } : {}
  const displayName = createDisplayName({ options, folders })
  const isOwnFault = ({ message }: Error) => [...given.keys()].some(name => message.startsWith(`${displayName(name)}:`))
  const all = { ...defaults, ...withoutEmpty(environment), ...Object.fromEntries(given) }
  let settings: Settings
  try {
    settings = readEnvironment(all, displayName, lists)
  } catch (error) {
    throw error instanceof ConfigError && isOwnFault(error) ? new UsageError(error.message) : error
  }
  // A named folder must exist, even if it is the default.
  if (given.has('TOOLS_DIR')) assertToolsDir(settings.toolsDir, displayName('TOOLS_DIR'))
  return { settings, secretFiles: findSecretFiles(all, displayName) }
}

/** The user's name for a setting: the option, or the variable. */
export function createDisplayName({ options, folders = [] }: Given): (name: string) => string {
  return name => {
    if (name === 'TOOLS_DIR' && folders.length > 0) return 'folder'
    const isOption = VARIABLES.includes(name) && options[toKey(name)] !== undefined
    return isOption ? toFlag(name) : name
  }
}

/** The options that were given, as variables. */
function collectGiven(options: GivenOptions): Map<string, string> {
  const given = new Map<string, string>()
  for (const name of VARIABLES) {
    const value = options[toKey(name)]
    if (value === undefined) continue
    if (SECRET_SETTINGS.includes(name))
      throw new UsageError(
        `${toFlag(name)}: others can read the arguments of a process; set ${name} in the environment, or ` +
          `${toFlag(toFileName(name))}`,
      )
    if (value === '') throw new UsageError(`${toFlag(name)}: expected a value`)
    given.set(name, String(value))
  }
  return given
}

/** An empty variable counts as unset. */
const withoutEmpty = (environment: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))

/** The variables that are never options, for the help. */
export const SECRET_SETTINGS: readonly string[] = SETTING_NAMES.filter(isSecret)
