// Settings that were read, as a program would give them: in groups, without a tools folder.
import { toKey } from '../../src/config/setting-row.ts'
import { SETTINGS, type Settings } from '../../src/config/settings.ts'
import type { ServerOptions } from '../../src/index.ts'

export function settingsAsOptions({ toolsDir: _none, ...settings }: Settings): ServerOptions {
  const options: Record<string, unknown> = {}
  const groups: Record<string, Record<string, unknown>> = {}
  for (const [name, { option }] of Object.entries(SETTINGS)) {
    const value = (settings as Record<string, unknown>)[toKey(name)]
    const [group, member] = option.split('.') as [string, string?]
    if (value === undefined) continue
    if (member === undefined) options[option] = value
    else groups[group] = { ...groups[group], [member]: value }
  }
  return { ...options, ...groups }
}
