// Opens API keys as a way of access, by API_KEYS_FILE.
import type { OpenWay } from 'toolrack/access'
import { ConfigError } from 'toolrack/settings'
import { ApiKeyFileError } from './api-key-records.ts'
import { ApiKeys } from './api-keys.ts'

/** @throws ConfigError if the keys cannot be read */
export const openApiKeys: OpenWay = ({ apiKeysFile }, { displayName, log, record, onCheck }) => {
  try {
    return new ApiKeys({
      file: apiKeysFile!,
      log,
      onChange: (change, caller) => record({ event: `api-key-${change}`, caller, scopes: caller.scopes }),
      onCheck,
    })
  } catch (error) {
    throw error instanceof ApiKeyFileError
      ? new ConfigError(`${displayName('API_KEYS_FILE')}: ${error.message}`)
      : error
  }
}
