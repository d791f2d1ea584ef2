// The table of settings, and values derived from them.
export {
  acceptsTokens,
  assertBind,
  getAudience,
  hasAccessControl,
  nameAccessSettings,
} from '../../src/config/access.ts'
export { isAddressBlock, isLoopback, isOrigin, isSafeUrl } from '../../src/config/addresses.ts'
export { hasPath, isLocalServer } from '../../src/config/doors.ts'
export {
  getConsoleDir,
  getPackageFile,
  hasSetting,
  isProduction,
  readPackageVersion,
  wantsTelemetry,
} from '../../src/config/environment.ts'
export { MAX_ICON_URL } from '../../src/config/icon.ts'
export type { Project, ServerInfo } from '../../src/config/identity.ts'
export {
  findIssuerConflict,
  hasFlatIssuer,
  type IntrospectionSpec,
  type IssuerSettings,
  listSignInUrls,
  readFlatSettings,
  splitByMetadata,
} from '../../src/config/issuer-settings.ts'
export {
  type AuditSink,
  resolveOptions,
  resolveSettings,
  type ServerOptions,
  type TestDoubles,
  type ToolrackOptions,
} from '../../src/config/options.ts'
export {
  getPathPrefix,
  getPathUrl,
  getPublicUrl,
  getResourceUri,
  getToolsUrl,
  isWildcard,
  toOpenUrl,
} from '../../src/config/public-url.ts'
export { fromFileName, readSecretFile, toFileName } from '../../src/config/secret-files.ts'
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
  assertEndpointPath,
  assertToolsDir,
  ConfigError,
  isDefaultToolsDir,
  isFlag,
  isSecret,
  optionName,
  readSettings,
  SECRETS,
  SECTIONS,
  SETTINGS,
  type SecretFile,
  type SettingName,
  type Settings,
} from '../../src/config/settings.ts'
