// The settings of a server on stdin and stdout. The program that starts it is the caller, and the
// server opens no port.
import { SETTINGS, type SettingName, type Settings, toKey } from 'toolrack/settings'

/** Settings of access, which has no use here. */
const ACCESS = /^(?:JWT_|TOKEN_EXCHANGE_|ISSUERS_FILE$|API_KEYS_FILE$|AUTHORIZATION_SERVERS$)/

const ACCESS_NAMES = (Object.keys(SETTINGS) as SettingName[]).filter(name => ACCESS.test(name))

/** Parts that need HTTP. */
const NO_HTTP = { console: false, plainHttp: false, httpSse: false, metrics: false, metricsPort: undefined } as const

export interface StdioSettings {
  readonly settings: Settings
  /** Given settings that have no effect here. */
  readonly ignored: readonly SettingName[]
}

export function toStdioSettings(settings: Settings): StdioSettings {
  const isSet = (name: SettingName) => settings[toKey(name) as keyof Settings] !== undefined
  const open = Object.fromEntries(ACCESS_NAMES.map(name => [toKey(name), undefined]))
  return { settings: Object.freeze({ ...settings, ...open, ...NO_HTTP }), ignored: ACCESS_NAMES.filter(isSet) }
}
