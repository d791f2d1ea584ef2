// Generates docs/reference/settings.md from the rows of the settings.

import { describeDefault, describeValue } from '../../packages/cli/src/describe-setting.ts'
import { MAX_SECRET_FILE_BYTES } from '../../src/config/secret-files.ts'
import type { SettingRow, SettingsSection } from '../../src/config/setting-row.ts'
import { SECRET_FILES, SECTIONS } from '../../src/config/settings.ts'
import { code, markdownTable } from './table.ts'

export const PAGE = 'docs/reference/settings.md'

const INTRODUCTION = `<!-- Written by \`npm run docs\` from src/config/settings/. -->

# Settings

Settings are environment variables. The server checks them before it starts. A bad value stops the
start with one line that names the variable. So does

- a name that looks like a slip of a setting (\`JWT_SECRT\`), or that other servers have for it
  (\`JWKS_URL\`, \`TRUSTED_PROXY\`). Names that may be those of a tool, such as \`REDIS_URI\` and
  \`BASE_URL\`, are a warning;
- a value in quotes, which \`docker run --env-file\` keeps. Around a variable of a tool, or of Node
  (\`NODE_ENV\`, proxies), they are a warning;
- quotes, brackets of JSON or a comment in \`JWT_ISSUER\`, \`JWT_AUDIENCE\`, \`JWT_CLIENT_IDS\` and
  \`JWT_REQUIRED_CLAIMS\`: their entries are separated by commas alone;
- a secret with white space around it. Around other values it is cut, and a value of
  white space alone counts as not set.

\`dev\`, \`start\` and \`check\` read \`.env\` first, outside of production
([cli.md](cli.md#variables-of-a-project)).

\`toolrack start\` takes each as an option, too: \`--rate-limit-max 100\`, except for secrets
([cli.md](cli.md#settings)).

A secret may stand in a file, as Docker and Kubernetes mount it. These name the file instead:

${SECRET_FILES.map(name => `- ${code(name)}`).join('\n')}

A newline at the end is cut. The file has to be text in UTF-8, of at most ${MAX_SECRET_FILE_BYTES / 1024} KiB. If both the
variable and its file are set, the start stops. A change counts
[without a restart](../guides/deploy.md#secrets-are-files).

In a program the same settings are options: \`rateLimit.max\` in the tables is
\`rateLimit: { max: 600 }\` there. An option takes a value of its type, and lists are arrays
([library.md](../guides/library.md#options)). Only \`createServer\` takes those that have a star.
`

const END = `## Settings of tools

The tools that ship have settings of their own, such as \`FILES_DIR\`, \`DATABASE_URL\`, \`EXEC_ALLOW\`,
\`GITHUB_TOKEN\`, \`SEARCH_URL\` and \`FETCH_ALLOW\`: see [shelf.md](shelf.md). A tool that lacks what it
needs is not served, and the server says at the start what the tool lacks.

They may stand in files, too: if \`GITHUB_TOKEN_FILE\` is set and \`GITHUB_TOKEN\` is not, and a file of a
tools folder has the word \`GITHUB_TOKEN\`, the server sets that variable to what the file has, before
it loads the tools. So tools of your own need no code for it. When the file changes, the server sets
the variable again, and loads the tools again. What a file could not give is an error in the log, and
keeps a strict server from being [ready](tools.md#a-deployment-that-does-not-load).

## OpenTelemetry

\`OTEL_EXPORTER_OTLP_ENDPOINT\` and other \`OTEL_*\` variables turn on traces, if
\`@opentelemetry/sdk-node\` is installed beside the server. Without it the log warns
([observability.md](observability.md)).
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
