// The file of API keys, for the command line, which changes it.
export { findApiKeyId, generateApiKey, hashApiKey } from '../keys/src/api-key.ts'
export {
  ApiKeyFileError,
  type ApiKeyRecord,
  DAY_MS,
  findApiKeyFault,
  MAX_API_KEY_DAYS,
  parseApiKeys,
} from '../keys/src/api-key-records.ts'
export { readApiKeyFile } from '../keys/src/api-keys.ts'
