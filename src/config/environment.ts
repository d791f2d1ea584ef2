// Reads the rest of the environment: tool variables, OpenTelemetry, values that look like secrets.
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fromFileName, readSecretFile } from './secret-files.ts'

export const hasSetting = (name: string, environment: NodeJS.ProcessEnv = process.env): boolean =>
  (environment[name] ?? '') !== ''

export const isSecretName = (name: string): boolean =>
  /SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|CREDENTIAL|PRIVATE_KEY/i.test(name)

/**
 * Of `GITHUB_TOKEN_FILE`, what the file has.
 *
 * @param isPublic whether it is a setting of ours that only looks like a secret, such as a path
 */
export const findSecretValues = (
  isPublic: (name: string) => boolean,
  environment: NodeJS.ProcessEnv = process.env,
): (string | undefined)[] =>
  Object.entries(environment)
    .filter(([name]) => isSecretName(name) && !isPublic(name))
    .map(([name, value]) => (fromFileName(name) === undefined ? value : tryToReadSecret(value)))

/** @returns undefined if there is none: the file may be of another program */
function tryToReadSecret(path: string | undefined): string | undefined {
  try {
    return path && readSecretFile(path)
  } catch {
    return undefined
  }
}

export const isProduction = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  environment['NODE_ENV'] === 'production'

const TELEMETRY = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
]

/** Whether to start an OpenTelemetry SDK, which reads its own settings. */
export function wantsTelemetry(environment: NodeJS.ProcessEnv = process.env): boolean {
  // The SDK parses it in the same way.
  if (environment['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false
  return TELEMETRY.some(name => (environment[name] ?? '') !== '' && environment[name] !== 'none')
}

export function getPackageFile(): URL {
  const path = findPackageJSON(import.meta.url)
  if (path === undefined) throw new Error('package.json of toolrack is missing')
  return pathToFileURL(path)
}

export function readPackageVersion(): string {
  return (JSON.parse(readFileSync(getPackageFile(), 'utf8')) as { version: string }).version
}

/** The tools that ship: as they are built, or in a clone without a build. */
export const getSamplesDir = (): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? 'tools' : 'dist/tools', getPackageFile()))

/** Where `npm run build` puts the console. */
export const getConsoleDir = (): string => fileURLToPath(new URL('dist/console', getPackageFile()))
