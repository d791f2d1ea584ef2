// What the environment says beside the settings: to tools, to the OpenTelemetry SDK, and by names that sound like secrets.
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'

/** Whether the environment has a value for a variable that a tool requires. */
export const hasSetting = (name: string, environment: NodeJS.ProcessEnv = process.env): boolean =>
  (environment[name] ?? '') !== ''

const SECRET_NAME = /SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|CREDENTIAL|PRIVATE_KEY/i

/** The values of variables whose names sound like secrets. */
export const findSecretValues = (environment: NodeJS.ProcessEnv = process.env): (string | undefined)[] =>
  Object.entries(environment)
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value)

export const isProduction = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  environment['NODE_ENV'] === 'production'

const TELEMETRY = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
]

/** Whether an OpenTelemetry SDK is to be started; it reads its own settings itself. */
export function wantsTelemetry(environment: NodeJS.ProcessEnv = process.env): boolean {
  // As that SDK reads it.
  if (environment['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false
  return TELEMETRY.some(name => (environment[name] ?? '') !== '' && environment[name] !== 'none')
}

/** Whether that SDK was told how much to say by itself. */
export const hasTelemetryLog = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  (environment['OTEL_LOG_LEVEL'] ?? '') !== ''

/** Whether the settings of that SDK say what this service is called. */
export const hasServiceName = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  (environment['OTEL_SERVICE_NAME'] ?? '') !== '' ||
  /(?:^|,)\s*service\.name\s*=/.test(environment['OTEL_RESOURCE_ATTRIBUTES'] ?? '')

// The package's own version, read once from its package.json, wherever it was built to.

/** The URL of its package.json. @throws Error where the package was taken apart */
export function getPackageFile(): URL {
  const path = findPackageJSON(import.meta.url)
  if (path === undefined) throw new Error('package.json of toolrack is missing')
  return pathToFileURL(path)
}

/** @throws Error where the package was taken apart */
export function readPackageVersion(): string {
  return (JSON.parse(readFileSync(getPackageFile(), 'utf8')) as { version: string }).version
}
