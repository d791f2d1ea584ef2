// The identity of the server: options of the program, else settings, else the project.
import { pickKnown } from '../protocol/schemas/common.ts'
import { Icons } from '../registry/definition.ts'
import { compile } from '../schema/validator.ts'
import { readPackageVersion } from './environment.ts'
import { readIcon } from './icon.ts'
import type { Project } from './project.ts'
import {
  type Reader,
  description as readDescription,
  instructions as readInstructions,
  link as readLink,
} from './readers.ts'
import { decodeText, readSettingFile } from './setting-file.ts'
import { ConfigError, type Settings } from './settings.ts'

/** The options that replace settings: `name` replaces `serverName`, and so on. */
export interface IdentityOptions {
  name?: string | undefined
  version?: string | undefined
  title?: string | undefined
  description?: string | undefined
  websiteUrl?: string | undefined
  icons?: readonly object[] | undefined
  instructions?: string | undefined
}

/** The server's identity. Spec 2026-07-28: schema, Implementation. */
export interface ServerInfo {
  readonly name: string
  readonly version: string
  readonly title?: string | undefined
  /** What it is for, for people. */
  readonly description?: string | undefined
  readonly websiteUrl?: string | undefined
  readonly icons?: readonly object[] | undefined
}

/** For each result of 2026-07-28: without icons that have all their bytes in a `data:` URL. */
export function toBriefInfo({ icons, ...info }: ServerInfo): ServerInfo {
  const linked = icons?.filter(icon => !/^data:/i.test((icon as { readonly src: string }).src)) ?? []
  return linked.length === 0 ? info : { ...info, icons: linked }
}

export interface Identity extends ServerInfo {
  readonly instructions?: string | undefined
}

type IdentitySettings = Pick<
  Settings,
  | 'serverName'
  | 'serverTitle'
  | 'serverDescription'
  | 'serverVersion'
  | 'serverWebsiteUrl'
  | 'serverIcon'
  | 'instructionsFile'
>

/** The largest file: four bytes for each character of the instructions. */
export const MAX_INSTRUCTIONS_FILE_BYTES = 32 * 1024

export interface IdentityContext {
  /** What the user calls a setting. */
  displayName(name: string): string
  /** Where name and version come from if nothing says them. */
  readonly project: Project | undefined
}

/**
 * Reads the files that the settings name.
 *
 * @throws ConfigError naming the option or the setting
 */
export function resolveIdentity(
  options: IdentityOptions,
  settings: IdentitySettings,
  { displayName, project }: IdentityContext,
): Identity {
  const { name, version, title, icons, instructions } = options
  for (const [option, value] of Object.entries({ name, version, title, instructions })) {
    if (value !== undefined && typeof value !== 'string') throw new ConfigError(`${option}: expected a text`)
  }
  assertIcons(icons)
  return {
    name: name ?? settings.serverName ?? project?.name ?? 'toolrack',
    version: version ?? settings.serverVersion ?? project?.version ?? readPackageVersion(),
    title: title ?? settings.serverTitle,
    description: readOption('description', options, readDescription) ?? settings.serverDescription,
    websiteUrl: readOption('websiteUrl', options, readLink) ?? settings.serverWebsiteUrl,
    icons: pickKnown(Icons, icons) ?? readIcons(settings.serverIcon, displayName('SERVER_ICON')),
    instructions: resolveInstructions(instructions, settings.instructionsFile, displayName),
  }
}

const readOption = (
  name: 'description' | 'websiteUrl',
  { [name]: value }: IdentityOptions,
  read: Reader<string>,
): string | undefined => (value === undefined ? undefined : explain(name, () => read(value)))

function assertIcons(icons: unknown): void {
  const validator = icons === undefined ? undefined : compile(Icons)
  if (validator === undefined || validator.isValid(icons)) return
  const [fault] = validator.issues(icons, 1)
  throw new ConfigError(`icons: expected icons, each with a URI; ${fault?.path} ${fault?.expected}`)
}

const readIcons = (value: string | undefined, setting: string): readonly object[] | undefined =>
  value === undefined ? undefined : [explain(setting, () => readIcon(value))]

function resolveInstructions(
  given: string | undefined,
  file: string | undefined,
  displayName: (name: string) => string,
): string | undefined {
  if (file === undefined) return given
  const setting = displayName('INSTRUCTIONS_FILE')
  if (given !== undefined)
    throw new ConfigError(`${setting}: expected either it or ${displayName('INSTRUCTIONS')}, not both`)
  return explain(setting, () => readInstructions(decodeText(readSettingFile(file, MAX_INSTRUCTIONS_FILE_BYTES))))
}

function explain<T>(setting: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(`${setting}: ${(error as Error).message}`)
  }
}
