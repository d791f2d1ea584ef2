// The settings that most servers need, with short descriptions, for one screen of help.
// docs/reference/settings.md has all settings.
import type { SettingName } from 'toolrack/settings'

interface CommonSettings {
  readonly title: string
  readonly settings: { readonly [N in SettingName]?: string }
}

export const COMMON_SETTINGS: readonly CommonSettings[] = [
  {
    title: 'Server',
    settings: {
      PORT: 'the port to bind',
      HOST: 'the address to bind',
      PUBLIC_URL: 'the URL that clients use, behind a proxy',
      SAMPLES: 'adds the tools that ship',
      WATCH_TOOLS: 'loads changed files again',
      PLAIN_HTTP: 'serves tools to curl at /tools, too',
      CONSOLE: 'serves the console at /console/',
    },
  },
  {
    title: 'Access',
    settings: {
      API_KEYS_FILE: 'keys, made by toolrack key create',
      JWT_ISSUER: 'who issues the tokens',
      JWT_AUDIENCE: 'whom the tokens are for',
      JWT_SECRET: 'a secret shared with the issuer',
      ALLOW_ANONYMOUS: 'is open to everyone',
      RATE_LIMIT_MAX: 'requests of a client a minute',
    },
  },
  {
    title: 'Operation',
    settings: {
      REDIS_URL: 'the state of several replicas',
      LOG_LEVEL: 'the least important log lines to write',
    },
  },
]
