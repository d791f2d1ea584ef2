// Settings of the log, the metrics and the audit.
import { ofServer, optional, type SettingRows, setting } from '../setting-row.ts'
import { choice, flag, integer, nonEmptyText, secret } from '../setting-types.ts'

export const OBSERVABILITY = {
  CLIENT_LOGGING: setting({
    option: 'clientLogging',
    type: flag,
    fallback: true,
    meaning: 'Whether clients may get what tools log (`logging` of MCP).',
  }),
  LOG_LEVEL: ofServer(
    setting({
      option: 'logLevel',
      type: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
      fallback: 'info',
      meaning: 'The level of the log (pino): JSON lines on stdout, readable text on a terminal.',
    }),
  ),
  METRICS: setting({
    option: 'metrics',
    type: flag,
    fallback: true,
    meaning: 'Counts, and serves `GET /metrics` to this machine ([observability.md](observability.md)).',
  }),
  METRICS_PORT: ofServer(
    optional({
      option: 'metrics.port',
      type: integer(0, 65_535),
      meaning: 'Serves the metrics on a port of their own instead, to everyone who can reach it.',
    }),
  ),
  METRICS_TOKEN: ofServer(
    optional({
      option: 'metrics.token',
      type: secret(16),
      isSecret: true,
      meaning: 'The bearer token with which other machines may read the metrics.',
    }),
  ),
  AUDIT_FILE: optional({
    option: 'audit.file',
    type: nonEmptyText,
    byDefault: 'stdout',
    meaning: 'The file that the audit is written to ([audit.md](audit.md)).',
  }),
  AUDIT_REQUIRED: setting({
    option: 'audit.required',
    type: flag,
    fallback: false,
    meaning: '`true` refuses calls (503) while the file cannot be written ([audit.md](audit.md#lost-lines)).',
  }),
  AUDIT_ARGUMENTS: setting({
    option: 'audit.arguments',
    type: flag,
    fallback: false,
    meaning: '`true` writes the values of arguments into the audit, masked.',
  }),
} as const satisfies SettingRows
