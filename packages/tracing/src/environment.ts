// What the environment says to OpenTelemetry.

export const hasTelemetryLog = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  (environment['OTEL_LOG_LEVEL'] ?? '') !== ''

export const hasServiceName = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  (environment['OTEL_SERVICE_NAME'] ?? '') !== '' ||
  /(?:^|,)\s*service\.name\s*=/.test(environment['OTEL_RESOURCE_ATTRIBUTES'] ?? '')
