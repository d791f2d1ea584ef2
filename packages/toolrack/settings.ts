// The table of settings, and what is derived from them.
export {
  assertApiKeysFile,
  assertBind,
  getAudience,
  getAuthorizationServers,
  getIssuerSpecs,
  hasAccessControl,
  nameAccessSettings,
} from '../../src/config/access.ts'
export { isAddressBlock, isLoopback, isOrigin, isSafeUrl } from '../../src/config/addresses.ts'
export { hasPath, isLocalServer } from '../../src/config/doors.ts'
export {
  getConsoleDir,
  getPackageFile,
  isProduction,
  readPackageVersion,
  usesProxy,
  wantsTelemetry,
} from '../../src/config/environment.ts'
export { MAX_ICON_URL } from '../../src/config/icon.ts'
export { findMisspellings, isServiceLink } from '../../src/config/misspelling.ts'
export { MIN_NODE, runIfSupported } from '../../src/config/node-version.ts'
export {
  resolveOptions,
  resolveSettings,
  type ServerOptions,
  type TestDoubles,
  type ToolrackOptions,
} from '../../src/config/options.ts'
export { findProject } from '../../src/config/project.ts'
export { getPublicUrl, getResourceUri, getToolsUrl, isWildcard, toOpenUrl } from '../../src/config/public-url.ts'
export { findStrayMarks, readRawValue } from '../../src/config/raw-value.ts'
export { fromFileName, readSecretFile, toFileName } from '../../src/config/secret-files.ts'
export { decodeText, readSettingFile } from '../../src/config/setting-file.ts'
export { type SettingRow, toKey } from '../../src/config/setting-row.ts'
export {
  assertToolSettings,
  assertToolsDir,
  ConfigError,
  findSecretFiles,
  isDefaultToolsDir,
  isFlag,
  isSecret,
  readEnvironment,
  SECRET_FILES,
  SECTIONS,
  SETTINGS,
  type SecretFile,
  type SettingName,
  type Settings,
} from '../../src/config/settings.ts'
