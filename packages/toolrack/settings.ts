// The table of settings, and values derived from them.
export {
  acceptsTokens,
  assertBind,
  getAudience,
  getAuthorizationServers,
  hasAccessControl,
  nameAccessSettings,
} from '../../src/config/access.ts'
export { isAddressBlock, isLoopback, isOrigin, isSafeUrl } from '../../src/config/addresses.ts'
export { hasPath, isLocalServer } from '../../src/config/doors.ts'
export {
  getConsoleDir,
  getPackageFile,
  hasServiceName,
  hasSetting,
  hasTelemetryLog,
  isProduction,
  readPackageVersion,
  usesProxy,
  wantsTelemetry,
} from '../../src/config/environment.ts'
export { MAX_ICON_URL } from '../../src/config/icon.ts'
export type { ServerInfo } from '../../src/config/identity.ts'
export { findIssuerConflict, type IssuerSettings } from '../../src/config/issuer-settings.ts'
export { type IssuerSource, IssuersFileError } from '../../src/config/issuers.ts'
export { findMisspellings, isServiceLink } from '../../src/config/misspelling.ts'
export {
  type AuditSink,
  resolveOptions,
  resolveSettings,
  type ServerOptions,
  type TestDoubles,
  type ToolrackOptions,
} from '../../src/config/options.ts'
export { findProject } from '../../src/config/project.ts'
export {
  getPathPrefix,
  getPublicUrl,
  getResourceUri,
  getToolsUrl,
  isWildcard,
  toOpenUrl,
} from '../../src/config/public-url.ts'
export { findStrayMarks, readRawValue } from '../../src/config/raw-value.ts'
export { fromFileName, readSecretFile, readSecretFiles, toFileName } from '../../src/config/secret-files.ts'
export { decodeText, readSettingFile } from '../../src/config/setting-file.ts'
export { type SettingRow, toKey } from '../../src/config/setting-row.ts'
export {
  algorithms,
  choice,
  claimNames,
  claimPatterns,
  flag,
  issuers,
  nonEmptyText,
  type SettingType,
  safeUrl,
  scopeClaims,
  scopePrefix,
  tellingPatterns,
  texts,
} from '../../src/config/setting-types.ts'
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
