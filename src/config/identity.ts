// The identity of the server: what the settings say, else the project.

import { compile } from '@toolrack/json-schema/validator'
import { pickKnown } from '../protocol/schemas/common.ts'
import { Icons } from '../registry/definition.ts'
import { readPackageVersion } from './environment.ts'
import { readIcon } from './icon.ts'
import { decodeText, readSettingFile } from './setting-file.ts'
import { instructions as instructionsType } from './setting-types.ts'
import { ConfigError, type Settings } from './settings.ts'

/** The package around the tools. */
export interface Project {
  readonly name: string
  readonly version: string | undefined
}

/** The server's identity. Spec 2026-07-28: schema, Implementation. */
export interface ServerInfo {
  readonly name: string
  readonly version: string
  readonly title?: string | undefined
  /** Its purpose, for people. */
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
  | 'instructions'
  | 'instructionsFile'
>

/** The largest file: four bytes for each character of the instructions. */
export const MAX_INSTRUCTIONS_FILE_BYTES = 32 * 1024

export interface IdentityContext {
  /** Icons of a program, instead of the one of the settings. */
  readonly icons?: readonly object[] | undefined
  /** The user's name for a setting. */
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
  settings: IdentitySettings,
  { icons, displayName, project }: IdentityContext,
): Identity {
  assertIcons(icons)
  return {
    name: settings.serverName ?? project?.name ?? 'toolrack',
    version: settings.serverVersion ?? project?.version ?? readPackageVersion(),
    title: settings.serverTitle,
    description: settings.serverDescription,
    websiteUrl: settings.serverWebsiteUrl,
    icons: pickKnown(Icons, icons) ?? readIcons(settings.serverIcon, displayName('SERVER_ICON')),
    instructions: resolveInstructions(settings, displayName),
  }
}

function assertIcons(icons: unknown): void {
  const validator = icons === undefined ? undefined : compile(Icons)
  if (validator === undefined || validator.isValid(icons)) return
  const [fault] = validator.issues(icons, 1)
  throw new ConfigError(`icons: expected icons, each with a URI; ${fault?.path} ${fault?.expected}`)
}

const readIcons = (value: string | undefined, setting: string): readonly object[] | undefined =>
  value === undefined ? undefined : [explain(setting, () => readIcon(value))]

function resolveInstructions(
  { instructions, instructionsFile: file }: IdentitySettings,
  displayName: (name: string) => string,
): string | undefined {
  if (file === undefined) return instructions
  const setting = displayName('INSTRUCTIONS_FILE')
  if (instructions !== undefined)
    throw new ConfigError(`${setting}: expected either it or ${displayName('INSTRUCTIONS')}, not both`)
  const text = () => decodeText(readSettingFile(file, MAX_INSTRUCTIONS_FILE_BYTES))
  return explain(setting, () => instructionsType.parse(text()))
}

function explain<T>(setting: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(`${setting}: ${(error as Error).message}`)
  }
}
