// Generates docs/reference/settings.md from the rows of the settings.

import { describeDefault, describeValue } from '../../packages/cli/src/describe-setting.ts'
import { SECRET_FILES } from '../../packages/environment/src/secret-files.ts'
import { MAX_SECRET_FILE_BYTES } from '../../src/config/secret-files.ts'
import type { SettingRow, SettingsSection } from '../../src/config/setting-row.ts'
import { SECTIONS } from '../../src/config/settings.ts'
import { code, markdownTable } from './table.ts'

export const PAGE = 'docs/reference/settings.md'

const INTRODUCTION = `<!-- Written by \`npm run docs\` from src/config/settings/. -->

# Settings

Settings are environment variables, options of \`toolrack start\` (\`--rate-limit-max 100\`), and options
of a program: \`rateLimit.max\` in the tables is \`rateLimit: { max: 600 }\` there
([in an app](../guides/library.md#options)). Only \`createServer\` takes those that have a star. \`dev\`,
\`start\` and \`check\` read [\`.env\`](cli.md#variables-of-a-project) first.

A bad value stops the start with one line that names the variable. So do a name that looks like a slip
(\`JWT_SECRT\`) or belongs to another server (\`JWKS_URL\`), a value in quotes, and a secret with white
space around it.

**Secrets in files.** These name a file of at most ${MAX_SECRET_FILE_BYTES / 1024} KiB in place of the secret, and a
change counts [without a restart](../guides/deploy.md#secrets-are-files):
${SECRET_FILES.map(name => code(name)).join(',\n')}.
`

const END = `## Settings of tools

[Tools that ship](shelf.md#settings) have settings of their own. A variable of any tool may stand in
a file, too: if \`GITHUB_TOKEN_FILE\` is set, \`GITHUB_TOKEN\` is not, and a tool file has that word,
the server sets the variable before it loads the tools, and loads them again when the file changes.

## OpenTelemetry

\`OTEL_EXPORTER_OTLP_ENDPOINT\` and other \`OTEL_*\` variables turn on [traces](observability.md#traces).
`

export const settingsPage = (): string => [INTRODUCTION, ...SECTIONS.map(toSection), END].join('\n')

function toSection({ title, rows }: SettingsSection): string {
  const lines = Object.entries(rows).map(([name, row]) => toRow(name, row))
  return `## ${title}\n\n${markdownTable(['setting', 'option', 'default', 'value', 'meaning'], lines)}\n`
}

function toRow(name: string, row: SettingRow<unknown, unknown>): string[] {
  const option = `${code(row.option)}${row.isOfServer === true ? ' *' : ''}`
  return [code(name), option, row.byDefault ?? toDefault(name, row), describeValue(row), row.meaning]
}

function toDefault(name: string, row: SettingRow<unknown, unknown>): string {
  const { value, inWords } = describeDefault(name, row) ?? {}
  if (value === undefined) return '–'
  return inWords === undefined ? code(value) : `${code(value)} (${inWords})`
}
