// API keys as a way of access, by API_KEYS_FILE.
import type { AccessKind } from 'toolrack/access'
import { ConfigError, optionName } from 'toolrack/settings'
import { ApiKeyFileError, parseApiKeys } from './api-key-records.ts'
import { ApiKeys, readApiKeyFile } from './api-keys.ts'

export const API_KEYS: AccessKind = {
  check: ({ apiKeysFile }, displayName) =>
    void explain(() => parseApiKeys(readApiKeyFile(apiKeysFile!).bytes), displayName),
  open: ({ apiKeysFile }, { audit, log, onCheck }) =>
    explain(
      () =>
        new ApiKeys({
          file: apiKeysFile!,
          log,
          onChange: (change, caller) => audit.record({ event: `api-key-${change}`, caller, scopes: caller.scopes }),
          onCheck,
        }),
    ),
}

/** @throws ConfigError if the keys cannot be read */
function explain<T>(read: () => T, displayName = optionName): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof ApiKeyFileError
      ? new ConfigError(`${displayName('API_KEYS_FILE')}: ${error.message}`)
      : error
  }
}
